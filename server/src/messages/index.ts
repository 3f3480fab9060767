// The door of messages.

export { type Email, listEmails, queueEmail, type StoredEmail } from './outbox.ts'
