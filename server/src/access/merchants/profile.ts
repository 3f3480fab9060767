// Reads and changes the public profile of a merchant, which payers see: contact, colour and logo.

import { hash } from 'node:crypto'
import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { refuse, refuseField, withoutDirectionMarks } from '../../kernel/lib/index.ts'
import { LOGO_BYTES_MAX, LOGO_RATIO_MAX, LOGO_SIDE_MAX, type LogoProblem, rewritePng } from './logo-png.ts'
import type { ProfileChange, ProfileView } from './schema.ts'

/** The contact data of a merchant for payers. Null means that the merchant has not given the field. */
export type MerchantContact = {
  support_phone: string | null
  support_email: string | null
  support_address: string | null
}

/**
 * The public profile of a merchant. `logo_hash` is part of the URL of the logo. Null in a field means that the merchant has
 * none.
 */
export type MerchantLook = MerchantContact & { accent_color: string | null; logo_hash: string | null }

/** Returns the contact data as lines for a page or a document: phone, e-mail address, postal address. */
export function contactLines({ support_phone, support_email, support_address }: MerchantContact): string[] {
  return [support_phone, support_email, support_address].filter((line) => line !== null)
}

/** The profile of a merchant without contact data, colour and logo. */
export const NO_LOOK: MerchantLook = {
  support_phone: null,
  support_email: null,
  support_address: null,
  accent_color: null,
  logo_hash: null,
}

/** The columns of `MerchantLook`. In the statement, m is the alias of the table merchants. */
export const LOOK_COLUMNS = 'm.support_phone, m.support_email, m.support_address, m.accent_color, m.logo_hash'

const FIND = sql(
  'merchant_profile_find',
  `select m.name, ${LOOK_COLUMNS}, l.width, l.height, encode(l.png, 'base64') as png
   from merchants m left join merchant_logos l on l.merchant_id = m.id and l.hash = m.logo_hash where m.id = $1`,
)
const LOCK = sql('merchant_profile_lock', `select ${LOOK_COLUMNS} from merchants m where m.id = $1 for no key update`)
const SET = sql(
  'merchant_profile_set',
  `update merchants set support_phone = $2, support_email = $3, support_address = $4, accent_color = $5, logo_hash = $6,
     updated_at = $7
   where id = $1`,
)
const PUT_LOGO = sql(
  'merchant_logo_put',
  `insert into merchant_logos (merchant_id, hash, png, width, height, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id) do update
     set hash = excluded.hash, png = excluded.png, width = excluded.width, height = excluded.height, created_at = excluded.created_at`,
)
const FIND_LOGO = sql('merchant_logo_find', 'select hash, png from merchant_logos where merchant_id = $1')
const DELETE_LOGO = sql('merchant_logo_delete', 'delete from merchant_logos where merchant_id = $1')

type ProfileRow = MerchantLook & { name: string; width: number | null; height: number | null; png: string | null }

/** Returns the profile of a merchant in the form of the API. If the merchant is unknown, refuses with not_found. */
export async function getProfile(reader: Reader, merchant_id: string): Promise<ProfileView> {
  const [row] = await reader.query<ProfileRow>(FIND, [merchant_id])
  if (!row) return refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
  const { logo_hash, width, height, png, ...profile } = row
  const complete = logo_hash !== null && width !== null && height !== null && png !== null
  return { ...profile, logo: complete ? { hash: logo_hash, width, height, png: png.replaceAll('\n', '') } : null }
}

/** Changes the given fields of a profile. If the colour is too light for white text, refuses with validation_failed. */
export async function changeProfile(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; change: ProfileChange },
): Promise<ProfileView> {
  const { merchant_id, change } = input
  const accent = change.accent_color?.toLowerCase() ?? change.accent_color
  if (typeof accent === 'string' && contrastWithWhite(accent) < CONTRAST_MIN) {
    refuseField('accent_color', 'is too light: white text on it would be hard to read. Choose a darker colour')
  }
  const address = change.support_address
  await writeLook(deps, tx, act, merchant_id, {
    ...change,
    ...(typeof address === 'string' ? { support_address: withoutDirectionMarks(address) } : {}),
    ...(accent === undefined ? {} : { accent_color: accent }),
  })
  return getProfile(tx, merchant_id)
}

const LOGO_PROBLEMS: Record<LogoProblem, string> = {
  unreadable: 'is not a PNG picture that the server can read. Save the picture as PNG with 8 bits, not interlaced',
  too_wide: `is larger than ${LOGO_SIDE_MAX} x ${LOGO_SIDE_MAX} pixels. Make the picture smaller`,
  too_thin: `is too long and thin for a logo. Use a picture that is at most ${LOGO_RATIO_MAX} times as long on one side as on the other`,
  not_visible: 'is not visible on white. Use a picture with darker colours',
  too_large: `has more than ${LOGO_BYTES_MAX} bytes. Make the picture smaller, or use fewer colours`,
}

/** Replaces the logo of a merchant. If the upload is not a PNG within the limits, refuses with validation_failed. */
export async function replaceLogo(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; upload: string },
): Promise<ProfileView> {
  const picture = rewritePng(Buffer.from(input.upload, 'base64'))
  if (typeof picture === 'string') return refuseField('png', LOGO_PROBLEMS[picture])
  const logo_hash = hash('sha256', picture.png).slice(0, 16)
  await writeLook(deps, tx, act, input.merchant_id, { logo_hash })
  const { png, width, height } = picture
  await tx.query(PUT_LOGO, [input.merchant_id, logo_hash, png, width, height, deps.clock.now()])
  return getProfile(tx, input.merchant_id)
}

/** Removes the logo of a merchant. If the merchant has none, changes nothing. */
export async function removeLogo(deps: Deps, tx: Tx, act: Act, merchant_id: string): Promise<ProfileView> {
  await writeLook(deps, tx, act, merchant_id, { logo_hash: null })
  await tx.query(DELETE_LOGO, [merchant_id])
  return getProfile(tx, merchant_id)
}

/** Returns the PNG of a logo. Null means that the merchant has no logo with this hash. */
export async function findLogo(reader: Reader, merchant_id: string, hash_wanted: string): Promise<Buffer | null> {
  const [row] = await reader.query<{ hash: string; png: Buffer }>(FIND_LOGO, [merchant_id])
  return row?.hash === hash_wanted ? row.png : null
}

/**
 * Returns the logo of a merchant as a PNG in base64, for documents and e-mails. Null means that the merchant has none.
 */
export async function logoBase64(
  reader: Reader,
  { merchant_id, logo_hash }: { merchant_id: string; logo_hash: string | null },
): Promise<string | null> {
  const png = logo_hash === null ? null : await findLogo(reader, merchant_id, logo_hash)
  return png?.toString('base64') ?? null
}

/**
 * Locks the merchant and writes the changed fields with an audit entry. If the values are the same, changes nothing. If the
 * merchant is unknown, refuses with not_found. Every transaction locks the merchant before the logo.
 */
async function writeLook(
  deps: Deps,
  tx: Tx,
  act: Act,
  merchant_id: string,
  change: { [Field in keyof MerchantLook]?: MerchantLook[Field] | undefined },
): Promise<void> {
  const [before] = await tx.query<MerchantLook>(LOCK, [merchant_id])
  if (!before) return refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const after: MerchantLook = { ...before, ...Object.fromEntries(given) }
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const { support_phone, support_email, support_address, accent_color, logo_hash } = after
  const fields = [support_phone, support_email, support_address, accent_color, logo_hash]
  await tx.query(SET, [merchant_id, ...fields, deps.clock.now()])
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'merchant.change_profile',
    target_type: 'merchant',
    target_id: merchant_id,
    before,
    after,
  })
}

/**
 * The smallest allowed contrast of the colour to white. WCAG 2.2 (1.4.3) requires 4.5; the rest is a reserve for the grey and
 * tinted backgrounds of pages.
 */
const CONTRAST_MIN = 5.4

/** Returns the contrast of a colour (#rrggbb) with white, by the formula of WCAG 2.2. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}
