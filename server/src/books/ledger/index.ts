// Exports the ledger, the only code that moves money. A transfer moves money between two accounts of a book. A posting is one
// business fact with one to three transfers (legs). A booking is a posting that changes `available`.

export { BOOK_CODES, type BookKey, bookName, lockBooks, openBooks, readBalance } from './book.ts'
export { availableDelta, BOOKING_EFFECT, IS_BOOKING, LATER_LEGS } from './booking-sql.ts'
export { type FundingCredit, type FundingCredits, findFundingCredits } from './fifo.ts'
export { type Fact, type Posting, postingOf, postTransfers, type SourceType } from './post.ts'
export { BOOKING_DELAY_MS, balanceAfter, bookingsBetween, type SequenceRange } from './statement.ts'
