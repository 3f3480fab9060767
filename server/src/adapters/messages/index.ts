// Exports e-mails and SMS: the gateways, the outbox with its worker task, and the lists of messages.

export { type Attach, type AttachmentRequest, createMessageTask, type MailParts } from './deliver.ts'
export type { Attachment } from './gateway.ts'
export { createGateways, hasGateway } from './gateways.ts'
export { listEmails, listMessages, type StoredEmail } from './list.ts'
export { messageGauges, readMessageQueue } from './metrics.ts'
export { type Email, type MailButton, queueEmail, queueSms, type Sms } from './outbox.ts'
export { countMessages, recipientLimitTask } from './recipient-limit.ts'
export { messageRetention } from './retention.ts'
export { messageRoutes } from './routes.ts'
export { OperatorMessagesAnswer, OperatorMessagesQuery } from './schema.ts'
export { SMS_PARTS_MAX, shortestSms, smsLength } from './sms-text.ts'
