// Queues e-mails to the administrators of a merchant about a new API key, a changed webhook or a new member. The transaction of
// the action queues them. The e-mails contain no secrets.

import { type Email, queueEmail } from '../../adapters/messages/index.ts'
import type { Act } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment, MerchantRole } from '../../kernel/http/index.ts'
import { type Language, showTime } from '../../kernel/lib/index.ts'
import { dashboardUrl } from './dashboard-url.ts'
import { mailedName, ROLE_NAMES } from './invitation-mail.ts'

/** An action about which the administrators of a merchant get an e-mail. */
export type SecurityAct =
  | { kind: 'key_created'; name: string; environment: Environment; last4: string }
  | { kind: 'webhook_changed'; environment: Environment; webhook_url: string; new_secret: boolean }
  | { kind: 'member_added'; email: string; role: MerchantRole }

/** The greatest number of administrators that get an e-mail about one action. */
const RECIPIENTS_MAX = 20

// The query returns only members with a verified e-mail address, because an invitation can name any address. The oldest members
// come first.
const RECIPIENTS = sql(
  'security_mail_recipients',
  `select u.email, u.language, m.name as merchant_name
   from members s join users u on u.id = s.user_id join merchants m on m.id = s.merchant_id
   where s.merchant_id = $1 and s.role = 'MERCHANT_ADMIN' and u.email_verified and u.disabled_at is null
     and u.email is distinct from $2
   order by s.id limit $3`,
)

type RecipientRow = { email: string; language: Language; merchant_name: string }

/**
 * Queues an e-mail to up to RECIPIENTS_MAX enabled administrators with a verified e-mail address, in the language of each one.
 * The acting administrator can also get one, because a thief may use the session. A new member gets the invitation instead.
 */
export async function notifyAdmins(
  deps: Deps,
  tx: Tx,
  act: Act,
  merchant_id: string,
  security_act: SecurityAct,
): Promise<void> {
  const invited = security_act.kind === 'member_added' ? security_act.email : null
  const admins = await tx.query<RecipientRow>(RECIPIENTS, [merchant_id, invited, RECIPIENTS_MAX])
  const url = dashboardUrl(deps, merchant_id, securityPage(security_act))
  const brand = deps.config.brand_name
  const at = deps.clock.now()
  for (const admin of admins) {
    await queueEmail(deps, tx, securityMail({ ...admin, act, security_act, url, brand, at }))
  }
}

/** Returns the path of the dashboard page about an action. */
function securityPage(act: SecurityAct): string {
  if (act.kind === 'member_added') return 'live/members'
  return `${act.environment}/${act.kind === 'key_created' ? 'keys' : 'webhooks'}`
}

type SecurityMailInput = RecipientRow & { act: Act; security_act: SecurityAct; url: string; brand: string; at: Date }

/** What an administrator does about a change of the webhook or the members that the administrator did not expect. */
const NEXT = {
  sw: 'Kama hukutarajia hili, ingia kwenye dashibodi, angalia funguo, webhook na watumiaji, na ubadilishe nywila yako.',
  en: 'If you did not expect this change, sign in to the dashboard, check the keys, the webhook and the members, and change your password.',
} as const

const SECURITY_WORDS = {
  sw: {
    key_created: {
      subject: 'taarifa ya usalama: ufunguo mpya wa API',
      lead: 'Mtu ametengeneza ufunguo mpya wa API wa biashara',
      button: 'Angalia funguo za API',
      next: 'Kama si wewe, na hukutarajia ufunguo huu, uzime mara moja kwenye ukurasa wa funguo za API, kisha ubadilishe nywila yako na uangalie webhook na watumiaji. Ufunguo unafanya kazi hadi uzimwe.',
    },
    webhook_changed: {
      subject: 'mipangilio ya webhook imebadilishwa',
      lead: 'Mipangilio ya webhook imebadilishwa kwa biashara',
      button: 'Angalia webhook',
      next: NEXT.sw,
    },
    member_added: {
      subject: 'mtumiaji ameongezwa',
      lead: 'Mtumiaji ameongezwa kwenye biashara',
      button: 'Angalia watumiaji',
      next: NEXT.sw,
    },
    key: 'Ufunguo',
    environment: { live: 'Halisi', sandbox: 'Majaribio' },
    host: 'Seva inayopokea',
    new_secret: 'Siri ya kusaini: mpya',
    member: 'Mtumiaji',
    by: 'Aliyefanya',
    at: 'Wakati',
    address: 'Anwani ya mtandao',
  },
  en: {
    key_created: {
      subject: 'security notice: new API key',
      lead: 'A person made a new API key for the business',
      button: 'See the API keys',
      next: 'If it was not you, and you did not expect this key, revoke it immediately on the page API keys. Then change your password, and check the webhook and the members. The key works until it is revoked.',
    },
    webhook_changed: {
      subject: 'webhook configuration changed',
      lead: 'There is a new webhook configuration for the business',
      button: 'See the webhooks',
      next: NEXT.en,
    },
    member_added: {
      subject: 'member added',
      lead: 'There is a new member of the business',
      button: 'See the members',
      next: NEXT.en,
    },
    key: 'Key',
    environment: { live: 'live', sandbox: 'sandbox' },
    host: 'Receiving server',
    new_secret: 'Signing secret: new',
    member: 'Member',
    by: 'By',
    at: 'Time',
    address: 'Network address',
  },
} as const

function securityMail({ act, security_act, url, brand, at, ...admin }: SecurityMailInput): Email {
  const { email: to, language } = admin
  const words = SECURITY_WORDS[language]
  const { subject, lead, button, next } = words[security_act.kind]
  const facts = [
    ...factsOf(security_act, language),
    `${words.by}: ${actorName(act, brand)}`,
    `${words.at}: ${showTime(at, language)}`,
    ...(act.address ? [`${words.address}: ${act.address}`] : []),
  ]
  return {
    to,
    kind: `security.${security_act.kind}`,
    subject: `${brand}: ${subject}`,
    text: [`${lead} "${mailedName(admin.merchant_name)}".`, facts.join('\n'), `${next}\n${url}`].join('\n\n'),
    button: { label: button, url },
  }
}

/**
 * Returns the name of a user or an API key. For other actors, returns the brand, because merchants must not read the names of
 * operators.
 */
function actorName({ actor }: Act, brand: string): string {
  if (actor.kind === 'user') return actor.name
  return actor.kind === 'api_key' ? mailedName(actor.name) : brand
}

/**
 * Returns the lines about the action. The e-mail shows only the host of a webhook URL, because the URL may contain a secret.
 */
function factsOf(act: SecurityAct, language: Language): string[] {
  const words = SECURITY_WORDS[language]
  if (act.kind === 'key_created') {
    return [`${words.key}: "${mailedName(act.name)}" (${words.environment[act.environment]}, ...${act.last4})`]
  }
  if (act.kind === 'member_added') return [`${words.member}: ${act.email} (${ROLE_NAMES[language][act.role]})`]
  const host = URL.parse(act.webhook_url)?.host ?? '-'
  return [`${words.host}: ${host}`, ...(act.new_secret ? [words.new_secret] : [])]
}
