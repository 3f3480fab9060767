// Writes the HTML part of an e-mail from its text. The HTML loads nothing, and links only lines that are web addresses.

import { type Html, html } from '../../kernel/lib/index.ts'
import type { OutgoingEmail } from './gateway.ts'

/** The Content-ID of the logo inside the e-mail. */
export const LOGO_ID = 'logo'

/** The colour of buttons without a merchant's colour: the accent of the consoles. */
const ACCENT = '#087348'
const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif'
const PARAGRAPH = 'margin:0 0 16px;overflow-wrap:anywhere'

type MailHtml = Pick<OutgoingEmail, 'text' | 'button' | 'accent_color'> & { has_logo: boolean }

/**
 * Returns the text of an e-mail as HTML. The address of the button becomes the button. Any other line that is an address becomes
 * the link of the line above it.
 */
export function mailHtml({ text, button, accent_color, has_logo }: MailHtml): string {
  // The database stores only checked colours. This second check exists because an unchecked text could add CSS rules.
  const color = accent_color !== null && /^#[0-9a-f]{6}$/.test(accent_color) ? accent_color : ACCENT
  const blocks: Html[] = []
  let lines: string[] = []
  const endParagraph = () => {
    if (lines.length > 0) blocks.push(html`<p style="${PARAGRAPH}">${mailParagraph(lines, color)}</p>`)
    lines = []
  }
  for (const [place, line] of text.split('\n').entries()) {
    const is_button = place === button?.line && isAddress(line)
    // The line `-- ` begins the signature of a plain text.
    const is_break = line === '' || line === '-- '
    if (is_button || is_break) endParagraph()
    if (is_button) blocks.push(buttonBlock(button.label, line, color))
    else if (!is_break) lines.push(line)
  }
  endParagraph()
  const logo = html`<p style="${PARAGRAPH}"><img src="cid:${LOGO_ID}" alt="" style="max-width:160px;max-height:48px"></p>`
  return html`<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:16px;background:#f4f6f8;color:#17212b;${FONT};font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
${(has_logo ? [logo, ...blocks] : blocks).map((block) => html`${block}\n`)}</div>
</body></html>
`.toString()
}

const isAddress = (line: string) => /^https?:\/\/[\x21\x23-\x7e]+$/.test(line)
/** A line whose text becomes the link to the address in the next line: an item of a list, or an introduction. */
const isLabel = (line: string | undefined) => line !== undefined && (line.startsWith('- ') || line.endsWith(':'))

function mailParagraph(lines: readonly string[], color: string) {
  const shown: Html[] = []
  for (const [place, line] of lines.entries()) {
    const url = lines[place + 1]?.trim() ?? ''
    if (isAddress(line.trim())) {
      if (!isLabel(lines[place - 1])) shown.push(mailLink(line.trim(), line.trim(), color))
    } else if (isAddress(url) && isLabel(line)) {
      const [, mark = '', label = ''] = /^((?:- )?)(.*?):?$/.exec(line) ?? []
      shown.push(html`${mark}${mailLink(url, label, color)}`)
    } else shown.push(html`${line}`)
  }
  return shown.map((line, place) => (place === 0 ? line : html`<br>${line}`))
}

function mailLink(url: string, label: string, color: string): Html {
  return html`<a href="${url}" style="color:${color}">${label}</a>`
}

function buttonBlock(label: string, url: string, color: string): Html {
  const style = `display:inline-block;padding:12px 24px;border-radius:6px;background:${color};color:#ffffff;font-weight:600;text-decoration:none`
  return html`<p style="margin:0 0 24px"><a href="${url}" style="${style}">${label}</a></p>`
}
