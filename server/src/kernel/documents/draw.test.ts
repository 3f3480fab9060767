// A separate thread draws documents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawDocument } from './draw.ts'
import { type PosterDocument, posterPdf } from './poster.ts'

const OWNER = { merchant_id: 'duka', environment: 'live' }
const POSTER: PosterDocument = {
  language: 'sw',
  brand_name: 'Malipo',
  merchant_name: 'Duka la Asha',
  amount_minor: 2_500_000n,
  currency: 'TZS',
  description: 'Mchele',
  page_url: 'https://lipa.example.co.tz/l/3fk2-9aJd0eQxYb7TzUv1mN5rWc',
  test: false,
  drawn_at: new Date('2026-11-21T15:00:00Z'),
}

const drawn = (more: Partial<PosterDocument> = {}) =>
  drawDocument(OWNER, { kind: 'poster', input: { ...POSTER, ...more } })

test('drawing in the separate thread hardly delays requests and gives the same bytes', async () => {
  const expected = await posterPdf(POSTER)
  const here = process.threadCpuUsage()
  for (let at = 0; at < 12; at++) await posterPdf({ ...POSTER, description: `Mchele ${at}` })
  const direct = process.threadCpuUsage(here)
  assert.ok((await drawn()).equals(expected))
  const there = process.threadCpuUsage()
  await Promise.all(Array.from({ length: 12 }, (_, at) => drawn({ description: `Mchele ${at}` })))
  const beside = process.threadCpuUsage(there)
  assert.ok(beside.user * 3 < direct.user, `${beside.user} µs here with the thread, ${direct.user} µs without it`)
})

test('a document that cannot be drawn, or crashes the thread, fails alone', async () => {
  const [long, crash, fine] = await Promise.allSettled([
    drawn({ page_url: `https://a.tz/${'a'.repeat(2_400)}` }),
    // This document needs more memory than the thread has.
    drawn({ description: Array.from({ length: 2_000_000 }, (_, at) => ({ at, text: `${at}` })) as never }),
    drawn(),
  ])
  assert.match(String((long as PromiseRejectedResult).reason), /a poster could not be drawn.*too long/s)
  assert.match(String((crash as PromiseRejectedResult).reason), /a poster could not be drawn/)
  assert.equal(fine.status, 'fulfilled')
})
