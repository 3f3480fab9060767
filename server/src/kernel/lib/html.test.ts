// Tests that text of a payer or merchant never becomes code of a page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Html, html } from './index.ts'

test('the html template escapes text in elements and in quoted attributes', () => {
  const name = `"><script>alert('&')</script>`
  const page = html`<a title="${name}">${name}</a>`.toString()
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;'
  assert.equal(page, `<a title="${escaped}">${escaped}</a>`)
})

test('the html template escapes no HTML twice, joins lists, and prints an empty text for null, undefined and false', () => {
  const items = ['a', 'b & c'].map((text) => html`<li>${text}</li>`)
  assert.equal(
    html`<ul>${items}${null}${undefined}${false}${0}${7n}</ul>`.toString(),
    '<ul><li>a</li><li>b &amp; c</li>07</ul>',
  )
})

test('only the html template can make HTML', () => {
  assert.throws(() => new Html(Symbol('html'), '<b>'))
  const forged = { toString: () => '<b>' } as unknown as string
  assert.equal(html`${forged}`.toString(), '&lt;b&gt;')
})
