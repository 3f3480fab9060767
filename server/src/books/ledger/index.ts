// The ledger: one complete book per merchant and environment, and the only code that moves money.
//
// Words: an account is one of the six of a book; a transfer is one balanced movement between two of them (zero-sum by
// construction); a posting is one business fact, made of one to three transfers (legs) that happen at most once; a booking is a posting
// that changes `available`.

export { type BookKey, balanceOf, bookName, lockBooks } from './balance.ts'
export { accountsFor, BOOK_CODES } from './book.ts'
export { type Origin, type Origins, originsOf } from './fifo.ts'
export { deltaOf, EFFECT, IS_BOOKING, MORE_LEGS } from './movements.ts'
export { type Fact, type Posting, postingOf, postTransfers, type SourceType } from './post.ts'
export { BOOKING_DELAY_MS, balanceAfter, bookingsBetween, type SequenceRange } from './statement.ts'
