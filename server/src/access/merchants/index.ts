// Exports merchants, members, users, prices and price choice, IP allowlists, and the e-mails about them.

export { lowBalanceTask } from './balance-low.ts'
export { balanceMarkMinor } from './balance-mark.ts'
export { type Charges, chargesOf, NO_CHARGES, percentageOf } from './charges.ts'
export { chooseRule, FLOW_METHODS, FLOWS, type Flow } from './choose-rule.ts'
export { findConflicts, hasConflict, hasTies, refuseConflict } from './conflict.ts'
export { addMerchant, createMerchant, type NewMerchant } from './create.ts'
export { dashboardUrl } from './dashboard-url.ts'
export { moveMerchant, verifyMerchant } from './decide.ts'
export { archiveDemoMerchant, closeDemoMerchant, DEMO_EMAIL, findDemoMerchant, HISTORY_EMAIL } from './demo.ts'
export { findMerchant, type Merchant, merchantByRoutingCode } from './find.ts'
export { mailedName } from './invitation-mail.ts'
export { IpAddressRecord, ipAddressRoutes } from './ip-address-routes.ts'
export { createAllowlist, IP_STATUSES, type IpAddress, isAllowedIn, presentIpAddress } from './ip-addresses.ts'
export { decideAddress, listForReview, rejectPendingAddresses } from './ip-review.ts'
export { getPayoutLimits, readOwnLimits, replacePayoutLimits } from './limits.ts'
export { getMerchant, listMerchants, notArchived } from './list.ts'
export { createLockMerchantOfCaller } from './lock-caller.ts'
export {
  inviteAgain,
  inviteMember,
  listMembers,
  type MayMailInvitation,
  type RevokeKeysOf,
  recordFirstUse,
} from './members.ts'
export { type RevokeAllKeys, type RevokedKey, reclaimMerchants } from './members-reclaim.ts'
export {
  claimNotice,
  type DigestPeriod,
  type DueDigest,
  dueDigests,
  endNotices,
  findDigestMember,
  memberOfAddress,
  NOTICE_KINDS,
  type NoticeClaim,
  type NoticeKind,
  noticeRecipients,
  queuedNotices,
  setNotices,
  sweepNotices,
  type UnsubscribeAddress,
  unsubscribeUrl,
} from './notices.ts'
export { noticesRoutes } from './notices-routes.ts'
export { getPricing, type RuleInForce, replacePricing, rulesForAll, rulesInForce } from './pricing.ts'
export {
  contactLines,
  findLogo,
  LOOK_COLUMNS,
  logoBase64,
  type MerchantContact,
  type MerchantLook,
  NO_LOOK,
} from './profile.ts'
export { profileRoutes } from './profile-routes.ts'
export { type Rule, readRules } from './read-rules.ts'
export { merchantRoutes } from './routes.ts'
export * from './schema.ts'
export { notifyAdmins } from './security-mail.ts'
export { type MerchantMove, merchantMoves } from './state.ts'
export {
  bindUser,
  createUser,
  disableUser,
  enableUser,
  lockSuperAdmins,
  type NewUser,
  OPERATOR_ROLE,
  operatorMay,
  renameUser,
  replaceEmail,
  setIdentity,
  setMember,
  setOperatorRole,
  setUserLanguage,
  verifyEmail,
} from './users.ts'
