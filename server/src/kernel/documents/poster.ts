// Draws a poster on A5 for a shop: one large QR code that opens the payment page.

import { type Language, showAmount } from '../lib/index.ts'
import { clean } from './clean.ts'
import {
  accentRule,
  addPage,
  drawLines,
  drawLink,
  drawQr,
  finish,
  fitted,
  frame,
  lineHeight,
  mm,
  openLogo,
  openSheet,
  type Style,
  tagged,
  wrap,
} from './sheet.ts'
import { TEXTS } from './texts.ts'

/** The data of a poster. The amount is in cents. Null as amount means that the poster shows no amount. */
export type PosterDocument = {
  language: Language
  /** BRAND_NAME, the name of this installation. */
  brand_name: string
  merchant_name: string
  /** The logo of the merchant as a PNG in base64. Null means that the merchant has none. */
  logo: string | null
  /** The contact data of the merchant for the foot of the poster. */
  contact: readonly string[]
  /** The colour of the merchant as #rrggbb, dark enough for white text. Null means that the merchant has chosen none. */
  accent_color: string | null
  amount_minor: bigint | null
  currency: string
  description: string | null
  /** The URL of the payment page. */
  page_url: string
  /** True for a sandbox poster. */
  test: boolean
  /** The creation time in the PDF. The caller passes the time, so that the same data make the same bytes. */
  drawn_at: Date
}

const A5: [number, number] = [419.53, 595.28]
const LEFT = 32
const WIDTH = A5[0] - 2 * LEFT
const QR_SIZE = mm(84)
/** The position of the name of the installation, below all other texts. */
const BRAND_Y = A5[1] - 30
/**
 * The greatest size of the logo in points. If all other lines are as long as possible, this space remains for the logo.
 */
const LOGO_BOX = { width: 150, height: 40 }

const PAY: Style = { face: 'bold', size: 22 }
const NAME: Style = { face: 'bold', size: 18 }
const AMOUNT: Style = { face: 'bold', size: 24 }
const BODY: Style = { face: 'regular', size: 11 }
const LINK: Style = { face: 'bold', size: 9 }
const SMALL: Style = { face: 'regular', size: 8 }
const MARK: Style = { face: 'bold', size: 12 }

/**
 * Returns the poster as a PDF of one page. If the URL has more than 2331 bytes, which is too long for a QR code, throws a
 * RangeError.
 */
export function posterPdf(input: PosterDocument): Promise<Buffer> {
  const texts = TEXTS[input.language]
  const sheet = openSheet({
    title: `${texts.poster.title} - ${input.merchant_name}`,
    author: input.merchant_name,
    brand_name: input.brand_name,
    language: input.language,
    drawn_at: input.drawn_at,
  })
  addPage(sheet, A5)
  accentRule(sheet, input.accent_color, { x: LEFT, y: 20, width: WIDTH })
  let y = 30
  const addText = (tag: string, style: Style, lines: readonly string[], after: number) => {
    const from = y
    tagged(sheet, tag, () => drawLines(sheet, style, lines, { x: LEFT, y: from, width: WIDTH, align: 'center' }))
    y += lines.length * lineHeight(style) + after
  }
  if (input.test) {
    frame(sheet, { x: LEFT, y, width: WIDTH, height: 26 }, 2)
    y += 5
    addText('P', MARK, [texts.test], 12)
  }
  addText('H1', fitted(sheet, PAY, texts.poster.pay, WIDTH), [texts.poster.pay], 2)
  const logo = openLogo(sheet, input.logo, LOGO_BOX)
  if (logo !== null) {
    logo.draw((A5[0] - logo.width) / 2, y + 2)
    y += logo.height + 6
  }
  addText('P', NAME, wrap(sheet, NAME, clean(input.merchant_name, 200), WIDTH, 2), 2)
  if (input.description !== null) addText('P', BODY, wrap(sheet, BODY, clean(input.description, 300), WIDTH, 2), 2)
  if (input.amount_minor !== null) {
    const amount = showAmount(input.amount_minor, input.currency)
    addText('P', fitted(sheet, AMOUNT, amount, WIDTH), [amount], 4)
  }
  const box = { x: (A5[0] - QR_SIZE) / 2, y, size: QR_SIZE }
  if (!drawQr(sheet, input.page_url, texts.poster.code, box))
    throw new RangeError('the address is too long for a QR code: the limit is 2331 bytes')
  y += QR_SIZE + 4
  addText('P', BODY, wrap(sheet, BODY, texts.poster.scan, WIDTH, 2), 4)
  const lines = wrap(sheet, LINK, clean(input.page_url, 300), WIDTH, 2)
  const end = drawLink(sheet, LINK, input.page_url, lines, { x: LEFT, y, width: WIDTH, align: 'center' })
  const contact = input.contact.map((line) => clean(line, 254)).join(' · ')
  // A long contact needs a second line, for which a poster with long texts has no space.
  const max = BRAND_Y - 2 * lineHeight(SMALL) > end ? 2 : 1
  const foot = contact === '' ? [] : wrap(sheet, SMALL, contact, WIDTH, max)
  y = BRAND_Y - foot.length * lineHeight(SMALL)
  if (foot.length > 0) addText('P', SMALL, foot, 0)
  addText('P', SMALL, wrap(sheet, SMALL, clean(input.brand_name, 60), WIDTH, 1), 0)
  return finish(sheet)
}
