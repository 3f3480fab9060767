// Defines the request and response schemas of merchants: members, prices, limits, profile and settings.

import Type, { type Static } from 'typebox'
import {
  CONSOLES,
  ENVIRONMENTS,
  MERCHANT_ROLES,
  OPERATOR_DUTY_NAMES,
  OPERATOR_ROLES,
  PageQuery,
  page,
  success,
} from '../../kernel/http/index.ts'
import { enumOf, line, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import { FLOWS } from './choose-rule.ts'
import { IpAddressRecord } from './ip-address-routes.ts'
import { IP_STATUSES } from './ip-addresses.ts'
import { MERCHANT_STATUSES } from './state.ts'

const Timestamp = Type.String({ format: 'date-time' })
const Id = Type.String({ format: 'uuid' })
const Email = { ...line(254), format: 'email' }

/** A merchant in the API for operators. */
export const MerchantRecord = Type.Object(
  {
    id: Id,
    merchant_code: Type.String({ description: 'The short public name of the merchant, as in webhooks.' }),
    name: Type.String(),
    email: nullable(Type.String()),
    status: enumOf('MerchantStatus', MERCHANT_STATUSES, 'Only an ACTIVE merchant may use live keys.'),
    verified: Type.Boolean({ description: 'An operator has checked the identity of the business.' }),
    priced: Type.Boolean({ description: 'At least one withdrawal price is in force.' }),
    archived_at: nullable({
      ...Timestamp,
      description: 'The time at which the admin command archived the merchant. Null: not archived.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Merchant' },
)
/** A merchant, as the API returns it to operators. */
export type MerchantView = Static<typeof MerchantRecord>

/** The body of POST /v1/operator/merchants. */
export const MerchantBody = Type.Object(
  {
    name: visibleLine(200, 'The name of the business, as payers see it.'),
    email: Type.Optional({
      ...Email,
      description: 'The e-mail address of the business. The server invites its owner as MERCHANT_ADMIN.',
    }),
  },
  { title: 'MerchantRequest' },
)

/** The query parameters of the list of merchants. */
export const MerchantsQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(enumOf('MerchantStatus', MERCHANT_STATUSES)),
  to_check: Type.Optional(
    Type.Boolean({ description: 'true: only merchants that are PENDING, or ACTIVE and not verified.' }),
  ),
  archived: Type.Optional(
    Type.Boolean({ description: 'true: only archived merchants. The list otherwise leaves them out.' }),
  ),
  search: Type.Optional({ ...line(200, 'A part of the name, or the beginning of the merchant code.'), minLength: 1 }),
})

/** The body of a decision, with an optional reason for the audit log. */
export const ReasonBody = nullable(
  Type.Object({
    reason: Type.Optional(line(500, 'The reason. The audit log keeps this text, and the merchant cannot read it.')),
  }),
)

const optionalAmount = (description: string) =>
  Type.Optional(Type.String({ maxLength: 64, description, examples: ['500.00'] }))

/** A price rule in a request. */
export const RuleInput = Type.Object(
  {
    flow: oneOf(FLOWS),
    method: Type.Optional(
      nullable(
        line(
          32,
          'Withdrawals: MOBILE_MONEY, BANK_ACCOUNT or PROVIDER_PESA. Collections: wallet_push, provider_pesa or qr. Null means every method.',
        ),
      ),
    ),
    destination_code: Type.Optional(
      nullable(
        line(
          32,
          'A network or bank of GET /v1/destinations, such as MPESA, by its code or an alias; the server stores the code. Null means every destination. Rules for collections must have null.',
        ),
      ),
    ),
    percentage: Type.Optional(line(16, 'Percentage of the amount: "1.50" is 1.5 %. Default "0.00".')),
    flat_fee: optionalAmount('The server adds this amount to the percentage fee. Default "0.00".'),
    processor_charge: optionalAmount('The charge of the processor for each payment. Default "0.00".'),
    processor_fee_pass_through: Type.Optional(
      Type.Boolean({ description: 'true: the merchant pays the processor charge too. Default false.' }),
    ),
    label: Type.Optional(line(100, 'The name of this rule in quotes.')),
  },
  { title: 'PriceRuleRequest' },
)
export type RuleInput = Static<typeof RuleInput>

/** The greatest number of rules in a price list. */
export const RULES_MAX = 200

/** The body of PUT /v1/operator/merchants/{merchant_id}/pricing. */
export const PricingBody = Type.Object({ rules: Type.Array(RuleInput, { maxItems: RULES_MAX }) })

/** A price rule in a response. */
export const RuleRecord = Type.Object(
  {
    id: Id,
    flow: oneOf(FLOWS),
    method: nullable(Type.String()),
    destination_code: nullable(Type.String()),
    destination_known: Type.Boolean({
      description: 'false: there is no such network or bank, so the rule applies to no withdrawal. Remove the rule.',
    }),
    percentage: Type.String(),
    flat_fee: Type.String(),
    processor_charge: Type.String(),
    processor_fee_pass_through: Type.Boolean(),
    label: Type.String(),
    valid_from: Timestamp,
  },
  { title: 'PriceRule' },
)
/** A price rule, as the API returns it. */
export type RuleView = Static<typeof RuleRecord>

const DAILY_LIMIT =
  'Largest sum of payouts that operators may approve on a day in Tanzania, without fees, in shillings.'
const DESTINATION_LIMIT =
  'Largest sum of payouts that operators may approve to one phone or account on a day in Tanzania, without fees, in shillings.'
const limitField = (description: string) =>
  nullable(Type.String({ maxLength: 64, description, examples: ['5000000.00'] }))
const payoutLimits = {
  daily_limit: limitField(DAILY_LIMIT),
  daily_limit_per_destination: limitField(DESTINATION_LIMIT),
}

/** The body of PUT /v1/operator/merchants/{merchant_id}/payout-limits. */
export const PayoutLimitsBody = Type.Object(
  {
    ...payoutLimits,
    reason: Type.Optional(line(500, 'The reason. The audit log keeps this text, and the merchant cannot read it.')),
  },
  { description: 'Null removes the limit of the merchant, so that the setting of the installation applies.' },
)
/** The payout limits of a merchant in a request. */
export type PayoutLimitsInput = Static<typeof PayoutLimitsBody>

/** The daily payout limits of a merchant in a response. */
export const PayoutLimitsRecord = Type.Object(
  {
    daily_limit: limitField(`${DAILY_LIMIT} Null means that PAYOUT_DAILY_LIMIT applies.`),
    daily_limit_per_destination: limitField(
      `${DESTINATION_LIMIT} Null means that PAYOUT_DAILY_LIMIT_PER_DESTINATION applies.`,
    ),
    in_force: Type.Object(payoutLimits, {
      description: 'The limits that apply now. Null means that there is no limit.',
    }),
  },
  { title: 'MerchantPayoutLimits' },
)
/** The payout limits of a merchant, as the API returns them. */
export type PayoutLimitsView = Static<typeof PayoutLimitsRecord>

/** A member in the API. No field reveals whether the user had an account before the invitation. */
export const MemberRecord = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: Type.String({ description: 'The name that the inviting user gave. Default: the e-mail address.' }),
    role: enumOf('MerchantRole', MERCHANT_ROLES),
    created_at: Timestamp,
    updated_at: Timestamp,
    first_seen_at: nullable({
      ...Timestamp,
      description:
        'When the member first used this membership. A membership without an invitation, or used before the server kept this time, counts from its creation. Null means that the member is invited and has not signed in to this merchant yet.',
    }),
  },
  { title: 'Member' },
)
/** A member, as the API lists the members of a merchant. */
export type MemberView = Static<typeof MemberRecord>

/** A member in the answer to an invitation. */
const InvitedMemberRecord = Type.Object(
  {
    ...MemberRecord.properties,
    has_mail_server: Type.Boolean({
      description:
        'False means that the installation has no mail server. The invitation then stays among the messages of the operators. True does not say that the server sent an e-mail, because the answer does not show the daily limits.',
    }),
  },
  { title: 'InvitedMember' },
)
/** A member, as the API returns it after an invitation. */
export type InvitedMemberView = Static<typeof InvitedMemberRecord>
/** The invited member in the response envelope. */
export const InvitedMemberAnswer = success(InvitedMemberRecord)

/** The body of POST /v1/merchant/members. */
export const InvitationBody = Type.Object(
  {
    email: Email,
    role: enumOf('MerchantRole', MERCHANT_ROLES),
    name: Type.Optional(visibleLine(200)),
  },
  { title: 'MemberRequest' },
)

/** The body of PATCH /v1/merchant/members/{member_id}. */
export const RoleBody = Type.Object({ role: enumOf('MerchantRole', MERCHANT_ROLES) })

/** The security settings of a merchant, in requests and responses. */
export const SecurityBody = Type.Object(
  {
    second_factor_required: Type.Boolean({
      description:
        'If true, the server refuses members who signed in without a second factor, from their next request on.',
    }),
  },
  { title: 'SecuritySettings' },
)
/** Whether the merchant requires a second factor of its members. */
export type SecuritySettings = Static<typeof SecurityBody>
/** The security settings in the response envelope. */
export const SecurityAnswer = success(SecurityBody)

const supportPhone = 'The phone that payers call: a mobile number, a landline or a short code.'
const supportEmail = 'The e-mail address that payers write to.'
const supportAddress = 'Where payers find you, such as a street and a town.'
const accentColor = 'The colour of the buttons on your pages, as #rrggbb, dark enough for white text.'

/** The body of PATCH /v1/merchant/profile. If a field is missing, the server keeps its value. */
export const ProfileBody = Type.Object({
  support_phone: Type.Optional(nullable({ ...line(20, supportPhone), pattern: '^\\+?[0-9][0-9 -]{2,18}$' })),
  support_email: Type.Optional(nullable({ ...Email, description: supportEmail })),
  support_address: Type.Optional(nullable(visibleLine(160, supportAddress))),
  accent_color: Type.Optional(nullable({ ...line(7, accentColor), pattern: '^#[0-9a-fA-F]{6}$' })),
})
/** The changed fields of the public profile. If a field is missing, the server keeps its value. */
export type ProfileChange = Static<typeof ProfileBody>

/** The public profile of a merchant in the API. */
export const ProfileRecord = Type.Object({
  name: Type.String({ description: 'The name of the business. Only an operator can change it.' }),
  support_phone: nullable(Type.String({ description: supportPhone })),
  support_email: nullable(Type.String({ description: supportEmail })),
  support_address: nullable(Type.String({ description: supportAddress })),
  accent_color: nullable(Type.String({ description: accentColor })),
  logo: nullable(
    Type.Object({
      hash: Type.String({ description: 'The hash of the picture, which changes with the picture.' }),
      width: Type.Integer(),
      height: Type.Integer(),
      png: Type.String({ description: 'The picture as PNG in base64.' }),
    }),
  ),
})
/** The public profile of a merchant, as the API returns it. */
export type ProfileView = Static<typeof ProfileRecord>
/** The public profile in the response envelope. */
export const ProfileAnswer = success(ProfileRecord)

/** The body of PUT /v1/merchant/logo. */
export const LogoBody = Type.Object({
  png: Type.String({
    minLength: 1,
    maxLength: 60_000,
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
    description:
      'A PNG in base64, at most 512 x 512 pixels. After the server has written the picture again from its pixels, the picture may have at most 20,480 bytes. The server refuses a picture that is not visible on white.',
  }),
})

/**
 * The balance mark of a merchant, in requests and responses. If the balance is below the mark, the dashboard shows a warning.
 */
export const BalanceMarkBody = Type.Object({
  balance_below: nullable(
    Type.String({
      maxLength: 32,
      description: 'A decimal amount in shillings, such as "50000.00". Null means that no balance is low.',
    }),
  ),
})
/** The balance mark as a decimal amount in shillings. Null means that no balance is low. */
export type BalanceMark = Static<typeof BalanceMarkBody>
/** The balance mark in the response envelope. */
export const BalanceMarkAnswer = success(BalanceMarkBody)

const notice_switches = {
  withdrawals: Type.Boolean({ description: 'Decisions on withdrawals.' }),
  webhooks: Type.Boolean({ description: 'Webhook endpoints that fail.' }),
  keys: Type.Boolean({ description: 'API keys that expire soon.' }),
  digest: oneOf(['off', 'daily', 'weekly'], 'How often you get a summary of live money.'),
}
/** The e-mails that a member gets about a merchant, in the API. */
export const NoticeSettingsRecord = Type.Object(
  {
    email: Type.String(),
    email_verified: Type.Boolean({ description: 'Only a verified address gets these e-mails.' }),
    ...notice_switches,
    applies: Type.Array(oneOf(['withdrawals', 'webhooks', 'keys']), {
      description: 'The warnings that your role gets.',
    }),
  },
  { title: 'NotificationSettings' },
)
/** The e-mail settings of a member, as the API returns them. */
export type NoticeSettings = Static<typeof NoticeSettingsRecord>
/** The body of PATCH /v1/merchant/notifications. */
export const NoticeSettingsBody = Type.Partial(Type.Object(notice_switches), { title: 'NotificationSettingsChange' })
/** The changed e-mail settings. If a field is missing, the server keeps its value. */
export type NoticeSettingsChange = Static<typeof NoticeSettingsBody>
/** The e-mail settings in the response envelope. */
export const NoticeSettingsAnswer = success(NoticeSettingsRecord)

/** A user with its memberships, in the response of GET /v1/me. */
export const MeRecord = Type.Object(
  {
    id: Id,
    email: Type.String(),
    email_verified: Type.Boolean(),
    name: Type.String(),
    language: oneOf(['sw', 'en']),
    super_admin: Type.Boolean({
      description:
        'The user is an operator of the platform with the role `SUPER_ADMIN`, and signed in with a second factor where one is required. `console` names the console of this session.',
    }),
    operator_role: nullable(
      enumOf(
        'OperatorRole',
        OPERATOR_ROLES,
        'The role of an operator of the platform. Null means that the user is no operator, or signed in without the second factor that operators need.',
      ),
    ),
    operator_duties: Type.Array(oneOf(OPERATOR_DUTY_NAMES), {
      description:
        'The duties that the operator role allows: reading, or one of the kinds of decisions. Empty without an operator role.',
    }),
    console: nullable(
      oneOf(
        CONSOLES,
        'The console of this session; the other console refuses the session. Null means both consoles: a token of the admin command, or of an issuer without named clients.',
      ),
    ),
    auth_time: nullable(
      Type.String({
        format: 'date-time',
        description:
          'The time at which the user last gave credentials in this session. After STEP_UP_S, requests that move money or give access require a confirmation. Null means unknown.',
      }),
    ),
    second_factor: Type.Boolean({ description: 'True if the user signed in with a second factor.' }),
    memberships: Type.Array(
      Type.Object({
        merchant_id: Id,
        merchant_code: Type.String(),
        name: Type.String(),
        role: enumOf('MerchantRole', MERCHANT_ROLES),
        status: enumOf('MerchantStatus', MERCHANT_STATUSES),
        verified: Type.Boolean(),
        priced: Type.Boolean(),
        second_factor_required: Type.Boolean({
          description: 'The merchant refuses members who signed in without a second factor.',
        }),
      }),
    ),
  },
  { title: 'CurrentUser' },
)
/** An API key with its merchant, in the response of GET /v1/me. */
export const KeyRecord = Type.Object(
  {
    merchant_id: { ...Id, description: 'The merchant of the key.' },
    merchant_name: Type.String(),
    merchant_code: Type.String({ description: 'The short public name of the merchant, as in webhooks.' }),
    environment: enumOf('Environment', ENVIRONMENTS, 'The environment of the key.'),
    scopes: Type.Array(Type.String(), { description: 'The scopes of the key.' }),
    key_id: Id,
    key_name: Type.String(),
  },
  { title: 'CurrentApiKey' },
)
/** The API key of the request, as GET /v1/me returns it. */
export type KeyView = Static<typeof KeyRecord>
/** A user with its memberships, as GET /v1/me returns it. */
export type MeView = Static<typeof MeRecord>

/** An allowlist entry in the API for operators. */
export const ReviewedAddress = Type.Object(
  {
    ...IpAddressRecord.properties,
    merchant_code: Type.String(),
    merchant_name: Type.String(),
  },
  { title: 'ReviewedIpAddress' },
)
export type ReviewedAddress = Static<typeof ReviewedAddress>

/** The query parameters of the list of allowlist entries. */
export const AddressesQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(enumOf('IpAddressStatus', IP_STATUSES)),
  merchant_id: Type.Optional(Id),
})

/** The body of POST /v1/operator/ip-addresses/{address_id}/reject. */
export const RejectionBody = Type.Object({ reason: visibleLine(500, 'The reason, which the merchant can read.') })

/** The path parameters of an allowlist entry. */
export const AddressParams = Type.Object({ address_id: Type.String({ description: 'The id of the address.' }) })
/** An allowlist entry in the response envelope. */
export const AddressAnswer = success(ReviewedAddress)
/** A page of allowlist entries in the response envelope. */
export const AddressesAnswer = success(page(ReviewedAddress))
/** The path parameters of a merchant. */
export const MerchantParams = Type.Object({ merchant_id: Type.String({ description: 'The id of the merchant.' }) })
/** The path parameters of a member. */
export const MemberParams = Type.Object({ member_id: Type.String({ description: 'The id of the member.' }) })

/** A merchant in the response envelope. */
export const MerchantAnswer = success(MerchantRecord)
/** A page of merchants in the response envelope. */
export const MerchantsAnswer = success(page(MerchantRecord))
/** A merchant with its members and prices in the response envelope. */
export const MerchantDetailAnswer = success(
  Type.Object({
    ...MerchantRecord.properties,
    members: Type.Array(MemberRecord),
    rules: Type.Array(RuleRecord, { description: 'The price list in force.' }),
    payout_limits: PayoutLimitsRecord,
  }),
)
/** The daily payout limits in the response envelope. */
export const PayoutLimitsAnswer = success(PayoutLimitsRecord)
/** The price list in force in the response envelope. */
export const PricingAnswer = success(Type.Object({ rules: Type.Array(RuleRecord) }))
/** A member in the response envelope. */
export const MemberAnswer = success(MemberRecord)

/** A removed member with the API keys that the server revoked. */
const RemovedMember = Type.Object(
  {
    ...MemberRecord.properties,
    revoked_keys: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        environment: Type.String(),
        key_prefix: Type.String(),
        key_last4: Type.String(),
      }),
      { description: 'The API keys of the member that the removal revoked.' },
    ),
  },
  { title: 'RemovedMember' },
)
/** A removed member, as the API returns it. */
export type RemovedMemberView = Static<typeof RemovedMember>
/** A removed member in the response envelope. */
export const RemovedMemberAnswer = success(RemovedMember)
/** The query parameters of the removal of a member. */
export const RemovalQuery = Type.Object({
  keep_keys: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'The ids of active API keys of the member that stay valid, separated by commas. Only for a `MERCHANT_ADMIN`.',
    }),
  ),
})

/** A page of members in the response envelope. */
export const MembersAnswer = success(page(MemberRecord))
/** The user of the session, or the API key, in the response envelope. */
export const MeAnswer = success(Type.Union([MeRecord, KeyRecord]))
