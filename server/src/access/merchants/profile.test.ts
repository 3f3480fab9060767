// Tests the public profile of a merchant: contact, colour and logo.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { createWorld, type World } from '../../../test/harness.ts'
import { LOGO_BYTES_MAX, rewritePng } from './logo-png.ts'
import { contrastWithWhite } from './profile.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const chunk = (name: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
/** Makes a PNG with 8-bit RGB pixels. `rows` replaces the pixel rows, and `more` adds chunks. */
const pngOf = ({
  width = 8,
  height = 8,
  colour = 2,
  interlace = 0,
  rows = Buffer.alloc(0),
  more = [] as Buffer[],
} = {}) => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, colour, 0, 0, interlace], 8)
  const pixels = rows.length > 0 ? rows : Buffer.alloc(height * (1 + width * 3), 0)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    ...more,
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const LOGO = pngOf()

describe('a logo', () => {
  test('a logo keeps its size and loses its metadata and every appended byte', () => {
    const secret = Buffer.from('Author\0a hidden text')
    const upload = Buffer.concat([pngOf({ more: [chunk('tEXt', secret)] }), Buffer.from('<script>alert(1)</script>')])
    const picture = rewritePng(upload)
    assert.ok(typeof picture !== 'string')
    assert.deepEqual([picture.width, picture.height], [8, 8])
    for (const hidden of ['hidden', 'script']) assert.ok(!picture.png.includes(hidden))
    assert.deepEqual(rewritePng(picture.png), picture, 'the result is itself a logo')
  })

  test('the server refuses a file that is not a whole PNG, or whose pixels do not match its header', () => {
    const wrong: Record<string, Buffer> = {
      'an empty file': Buffer.alloc(0),
      'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      'a cut file': LOGO.subarray(0, LOGO.length - 6),
      'a changed byte': Buffer.from(LOGO.map((byte, i) => (i === 20 ? byte ^ 1 : byte))),
      'an interlaced picture': pngOf({ interlace: 1 }),
      'a picture with more pixels than its header says': pngOf({ rows: Buffer.alloc(10_000_000) }),
      'a picture with fewer pixels': pngOf({ rows: Buffer.alloc(9) }),
      'an unknown filter': pngOf({ rows: Buffer.alloc(8 * 25, 9) }),
      'a picture without a palette': pngOf({ colour: 3, rows: Buffer.alloc(8 * 9) }),
      'a picture without width': pngOf({ width: 0, rows: Buffer.alloc(8) }),
    }
    for (const [what, file] of Object.entries(wrong)) assert.equal(rewritePng(file), 'unreadable', what)
    assert.equal(rewritePng(pngOf({ width: 513, height: 1 })), 'too_wide')
  })

  test('the server refuses a picture with one side more than 8 times as long as the other', () => {
    assert.equal(rewritePng(pngOf({ width: 320, height: 1 })), 'too_thin')
    assert.equal(rewritePng(pngOf({ width: 10, height: 81 })), 'too_thin')
    assert.notEqual(rewritePng(pngOf({ width: 10, height: 80 })), 'too_thin')
  })

  test('the server refuses a picture that is white or transparent in each colour type and filter, and takes one dark pixel', () => {
    const side = 9
    /** Encodes pixels with a filter of the PNG standard. */
    const encode = (filter: number, pixels: number[][], step: number) =>
      Buffer.from(
        pixels.flatMap((row, y) => [
          filter,
          ...row.map((value, i) => {
            const [left, up, corner] = [row[i - step] ?? 0, pixels[y - 1]?.[i] ?? 0, pixels[y - 1]?.[i - step] ?? 0]
            const guess = left + up - corner
            const [nearest = 0] = [left, up, corner].sort((a, b) => Math.abs(guess - a) - Math.abs(guess - b))
            return (value - ([0, left, up, (left + up) >> 1, nearest][filter] ?? 0)) & 255
          }),
        ]),
      )
    const palette = [
      chunk('PLTE', Buffer.from([255, 255, 255, 8, 115, 72, 0, 0, 0])),
      chunk('tRNS', Buffer.from([255, 255, 0])),
    ]
    const grounds: [colour: number, blank: number[], dark: number[], more: Buffer[]][] = [
      [0, [250], [20], []],
      [0, [7], [20], [chunk('tRNS', Buffer.from([0, 7]))]],
      [2, [255, 255, 255], [255, 255, 0], []],
      [2, [1, 2, 3], [3, 2, 1], [chunk('tRNS', Buffer.from([0, 1, 0, 2, 0, 3]))]],
      [3, [0], [1], palette],
      [3, [2], [1], palette],
      [4, [0, 0], [0, 255], []],
      [6, [0, 0, 0, 10], [8, 115, 72, 255], []],
    ]
    for (const [colour, blank, dark, more] of grounds) {
      for (const filter of [0, 1, 2, 3, 4]) {
        const draw = (last: number[]) => {
          const pixels = Array.from({ length: side }, (_, y) =>
            Array.from({ length: side }, (_, x) => (x === side - 1 && y === side - 1 ? last : blank)).flat(),
          )
          return rewritePng(
            pngOf({ width: side, height: side, colour, more, rows: encode(filter, pixels, blank.length) }),
          )
        }
        assert.equal(draw(blank), 'not_visible', `colour type ${colour}, filter ${filter}`)
        assert.equal(typeof draw(dark), 'object', `colour type ${colour}, filter ${filter}`)
      }
    }
  })

  test('the server refuses a picture with too many bytes', () => {
    const noise = randomBytes(200 * (1 + 200 * 3))
    for (let at = 0; at < noise.length; at += 1 + 200 * 3) noise[at] = 0
    assert.equal(rewritePng(pngOf({ width: 200, height: 200, rows: noise })), 'too_large')
    assert.ok(LOGO_BYTES_MAX < noise.length)
  })
})

test('the contrast of a colour with white follows WCAG: black 21, white 1, a middle grey 4.54', () => {
  assert.equal(contrastWithWhite('#000000'), 21)
  assert.equal(contrastWithWhite('#ffffff'), 1)
  assert.equal(contrastWithWhite('#767676').toFixed(2), '4.54')
})

/** Creates a merchant with an administrator, a viewer and a payment link. */
async function newShop() {
  const merchant = await world.newMerchant()
  const admin = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  const viewer = await world.newSession([{ role: 'VIEWER', merchant }])
  const key = await world.newKey({ merchant, scopes: ['payment_links:write'] })
  const link = await world.post('/v1/payment-links', { amount: '25000.00' }, { key })
  assert.equal(link.status, 201, link.text)
  const call = (method: string, url: string, payload: object | undefined = undefined, key = admin.token) =>
    world.call({ method, url, key, ...(payload === undefined ? {} : { payload }) } as never)
  return { merchant, viewer, slug: link.body.data.public_slug as string, call }
}
const profile = '/v1/merchant/profile'

test('an administrator changes contact, colour and logo, and payers see them on the page', async () => {
  const { slug, call, merchant } = await newShop()
  const contact = {
    support_phone: '0754 111 222',
    support_email: 'duka@example.com',
    support_address: 'Kariakoo, <b>Dar</b>',
  }
  const saved = await call('PATCH', profile, { ...contact, accent_color: '#7A1FA2' })
  assert.equal(saved.status, 200, saved.text)
  assert.deepEqual(saved.body.data, { name: merchant.name, ...contact, accent_color: '#7a1fa2', logo: null })
  const drawn = await call('PUT', '/v1/merchant/logo', { png: LOGO.toString('base64') })
  assert.equal(drawn.status, 200, drawn.text)
  const { hash } = drawn.body.data.logo
  const page = await world.call({ method: 'GET', url: `/pay/${slug}?lang=en`, key: null })
  for (const part of [
    'tel:0754111222',
    'mailto:duka%40example.com',
    'Kariakoo, &lt;b&gt;Dar&lt;/b&gt;',
    '--accent:#7a1fa2',
  ])
    assert.ok(page.text.includes(part), part)
  assert.ok(page.text.includes(`src="/pay/${slug}/logo/${hash}.png"`))
  const picture = await world.call({ method: 'GET', url: `/pay/${slug}/logo/${hash}.png`, key: null })
  assert.equal(picture.headers['content-type'], 'image/png')
  assert.match(String(picture.headers['cache-control']), /immutable/)
  for (const url of [`/pay/${slug}/logo/0123456789abcdef.png`, `/pay/${'x'.repeat(28)}/logo/${hash}.png`])
    assert.equal((await world.call({ method: 'GET', url, key: null })).status, 404)
  const removed = await call('DELETE', '/v1/merchant/logo')
  assert.equal(removed.body.data.logo, null)
  assert.equal((await world.call({ method: 'GET', url: `/pay/${slug}/logo/${hash}.png`, key: null })).status, 404)
  const audit = await world.rows<{ n: number }>(
    "select count(*)::int as n from audit_log where merchant_id = $1 and action = 'merchant.change_profile'",
    [merchant.id],
  )
  assert.deepEqual(audit, [{ n: 3 }])
})

test('the content security policy of a payment page with a colour permits exactly the two styles of the page', async () => {
  const { slug, call } = await newShop()
  assert.equal((await call('PATCH', profile, { accent_color: '#7a1fa2' })).status, 200)
  const page = await world.call({ method: 'GET', url: `/pay/${slug}`, key: null })
  const styles = [...page.text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text)
  assert.equal(styles.length, 2)
  const hashes = styles.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  assert.ok(String(page.headers['content-security-policy']).includes(`style-src ${hashes.join(' ')};`))
})

test('a repeated change makes one audit entry, a missing field keeps its value, and null removes a field', async () => {
  const { call, merchant } = await newShop()
  for (let i = 0; i < 2; i += 1) assert.equal((await call('PATCH', profile, { support_phone: '1444' })).status, 200)
  const kept = await call('PATCH', profile, { support_email: 'a@example.com' })
  assert.equal(kept.body.data.support_phone, '1444')
  const gone = await call('PATCH', profile, { support_phone: null })
  assert.deepEqual([gone.body.data.support_phone, gone.body.data.support_email], [null, 'a@example.com'])
  const rows = await world.rows(
    "select 1 from audit_log where merchant_id = $1 and action = 'merchant.change_profile'",
    [merchant.id],
  )
  assert.equal(rows.length, 3)
})

test('the server stores the address of a business without marks that change the direction of text', async () => {
  const { call } = await newShop()
  const saved = await call('PATCH', profile, { support_address: '\u202eesroh\u202c \u2066Kariakoo\u2069 متجر 🍅' })
  assert.equal(saved.body.data.support_address, 'esroh Kariakoo متجر 🍅')
})

test('the server refuses a wrong contact, a light colour and a wrong logo, names the field, and changes nothing', async () => {
  const { call, viewer } = await newShop()
  const wrong: [object, string][] = [
    [{ support_phone: 'piga simu' }, 'support_phone'],
    [{ support_phone: '+'.repeat(3) }, 'support_phone'],
    [{ support_email: 'not an address' }, 'support_email'],
    [{ support_email: '\u202ee@b.example' }, 'support_email'],
    [{ support_address: 'x'.repeat(161) }, 'support_address'],
    [{ support_address: 'a\u0000b' }, 'support_address'],
    [{ accent_color: 'red' }, 'accent_color'],
    [{ accent_color: '#ffee00' }, 'accent_color'],
    [{ accent_color: '#fff}body{display:none' }, 'accent_color'],
  ]
  for (const [body, field] of wrong) {
    const refused = await call('PATCH', profile, body)
    assert.equal(refused.status, 400, JSON.stringify(body))
    assert.equal(refused.body.error.details.fields[0].field, field)
  }
  const logo = await call('PUT', '/v1/merchant/logo', { png: Buffer.from('<svg/>').toString('base64') })
  assert.equal(logo.status, 400)
  assert.match(logo.body.error.details.fields[0].message, /not a PNG picture/)
  const white = pngOf({ rows: Buffer.from(Array.from({ length: 8 }, () => [0, ...Array(24).fill(255)]).flat()) })
  const blank = await call('PUT', '/v1/merchant/logo', { png: white.toString('base64') })
  assert.deepEqual([blank.status, blank.body.error.details.fields[0].field], [400, 'png'])
  assert.match(blank.body.error.details.fields[0].message, /^is not visible on white/)
  assert.equal((await call('PATCH', profile, { support_phone: '1444' }, viewer.token)).status, 403)
  const read = await call('GET', profile, undefined, viewer.token)
  const { name: _, ...empty } = read.body.data
  assert.deepEqual(Object.values(empty), [null, null, null, null, null])
})
