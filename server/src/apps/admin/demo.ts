// Creates the demo merchant with its keys and users. Production refuses a demo merchant.

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DEMO_DOMAIN, hasPassword, newPassword, setPassword } from '../../access/identity/index.ts'
import {
  createMerchant,
  createUser,
  DEMO_EMAIL,
  findDemoMerchant,
  type Merchant,
  setMember,
} from '../../access/merchants/index.ts'
import { recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { MERCHANT_ROLES, type Role, SCOPES } from '../../kernel/http/index.ts'
import { newId, refuse } from '../../kernel/lib/index.ts'
import { COMMAND_ACT } from './act.ts'
import { replaceKey } from './merchants.ts'

// No other advisory lock of this database uses this number.
const LOCK = sql('demo_lock', 'select pg_advisory_xact_lock(7165243380915628)')
const LOCK_TIMEOUT = '55P03'
/**
 * The number of attempts to get the lock. Each attempt waits 5 seconds, the lock timeout of a statement. A process that hashes
 * the passwords of the demo users holds the lock for seconds.
 */
const LOCK_ATTEMPTS = 24

/**
 * Runs a transaction under the lock. If several processes start at the same time, they run their transactions one after the
 * other.
 */
async function withLock<T>(deps: Deps, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(deps.db, async (tx) => {
        await tx.query(LOCK)
        return work(tx)
      })
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_TIMEOUT || attempt === LOCK_ATTEMPTS) throw error
    }
  }
}

/** Returns the demo merchant. If the database has none, creates the merchant. In production, refuses with forbidden. */
export async function ensureDemoMerchant(deps: Deps): Promise<Merchant> {
  if (deps.config.node_env === 'production') {
    refuse('forbidden', {
      message: 'Production cannot have demo data. Use "merchant create", "key create" and "user create".',
    })
  }
  return withLock(deps, async (tx) => {
    const merchant = await findDemoMerchant(tx)
    return merchant ?? createMerchant(deps, { name: 'Duka la Mfano', email: DEMO_EMAIL, approved: true })
  })
}

/**
 * The highest number of active keys of the command in each environment. The command revokes older keys, so that other keys fit
 * into the limit of the merchant.
 */
const DEMO_KEYS = 10

/**
 * Returns the demo merchant with a new key of all scopes for each environment, a user of each role of merchants, and a
 * SUPER_ADMIN.
 */
export async function demo(deps: Deps) {
  const merchant = await ensureDemoMerchant(deps)
  const key = (environment: 'sandbox' | 'live') => {
    const scopes = Object.keys(SCOPES)
    const input = { merchant_id: merchant.id, environment, scopes, name: `Demo ${environment}` }
    return replaceKey(deps, input, DEMO_KEYS)
  }
  return {
    merchant_id: merchant.id,
    merchant_code: merchant.merchant_code,
    sandbox_key: await key('sandbox'),
    live_key: await key('live'),
    users: await demoUsers(deps, merchant),
  }
}

/** A demo user with the password for sign-in. */
export type DemoUser = { email: string; password: string; role: Role }

/** The file with the passwords of the demo users. Each start keeps the passwords of this file that are still valid. */
const DEMO_USERS_FILE = 'demo-people.json'

/**
 * Returns a demo user of each role of merchants, and a SUPER_ADMIN. If the password in the file is still valid, it stays.
 * Otherwise the user gets a new password. If OIDC_ISSUER is another issuer, returns no users, because that issuer has its own
 * users.
 */
export async function demoUsers(deps: Deps, merchant: Merchant): Promise<DemoUser[]> {
  if (deps.config.oidc_issuer !== '') return []
  const file = join(deps.config.data_dir, DEMO_USERS_FILE)
  return withLock(deps, async (tx) => {
    // The process reads the file under the lock. If two processes start at the same time, the second reads the file that the
    // first has written.
    const stored = await readDemoUsers(file)
    const users: DemoUser[] = []
    const renewed: DemoUser[] = []
    for (const role of [...MERCHANT_ROLES, 'SUPER_ADMIN'] as const) {
      const email = `${role.toLowerCase().replace('_', '-')}${DEMO_DOMAIN}`
      const user_id = await ensureUser(deps, tx, email, role)
      if (role !== 'SUPER_ADMIN') await setMember(deps, tx, merchant.id, user_id, role)
      const before = stored.find((one) => one.email === email)?.password
      const keepsPassword = before !== undefined && (await hasPassword(tx, user_id, before))
      const user = { email, password: keepsPassword ? before : newPassword(deps.random), role }
      users.push(user)
      if (keepsPassword) continue
      await setPassword(deps, tx, user_id, user.password)
      renewed.push(user)
    }
    if (renewed.length > 0) {
      await recordAudit(deps, tx, {
        ...COMMAND_ACT,
        merchant_id: merchant.id,
        action: 'demo.renew',
        target_type: 'merchant',
        target_id: merchant.id,
        after: { users: renewed.map(({ email, role }) => ({ email, role })) },
      })
      // If the process dies before the commit, the passwords in the file are not valid. The next start then makes new
      // passwords.
      await writeDemoUsers(deps, file, users)
    }
    return users
  })
}

async function readDemoUsers(file: string): Promise<DemoUser[]> {
  try {
    const users: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(users) ? users : []
  } catch {
    return []
  }
}

/** Writes the file with the passwords. If the write fails, the next start makes new passwords. */
async function writeDemoUsers(deps: Deps, file: string, users: readonly DemoUser[]): Promise<void> {
  const unfinished = `${file}.${newId(deps, 0)}`
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(unfinished, JSON.stringify(users, null, 2), { mode: 0o600 })
    await rename(unfinished, file)
  } catch {
    await rm(unfinished, { force: true })
  }
}

const DEMO_USERS_LEFT = sql(
  'demo_people_left',
  `select email from users where email like '%${DEMO_DOMAIN}' and disabled_at is null order by email`,
)

/**
 * Returns the e-mail addresses of the enabled demo users. The server or the command has printed their passwords, so production
 * refuses to start with them.
 */
export async function demoUsersLeft(reader: Reader): Promise<string[]> {
  return (await reader.query<{ email: string }>(DEMO_USERS_LEFT)).map(({ email }) => email)
}

const USER = sql('demo_user', 'select id from users where email = $1')

async function ensureUser(deps: Deps, tx: Tx, email: string, role: Role): Promise<string> {
  const [found] = await tx.query<{ id: string }>(USER, [email])
  if (found) return found.id
  const name = `Demo ${role.toLowerCase().replace('_', ' ')}`
  const operator_role = role === 'SUPER_ADMIN' ? role : null
  const user = { email, email_verified: true, name, language: 'sw', operator_role, identity: 'embedded' } as const
  return (await createUser(deps, tx, user)).id
}
