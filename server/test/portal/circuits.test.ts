// Tests that operators see whether the platform calls a provider. Beside each line of a method's results, the page shows the
// circuit.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer, Provider } from '../../src/adapters/providers/port.ts'
import { LANGUAGES } from '../../src/kernel/lib/index.ts'
import { newPayoutScript, scriptedProvider } from '../payouts.ts'
import { type Office, openOffice, type Person, type Visitor } from './office.ts'

const DOWN: Answer = { kind: 'unknown', why: 'unreachable', provider_status: null }
const TAKEN: Answer = { kind: 'succeeded', amount_minor: 100_000n, currency: 'TZS', provider_status: 'COMPLETED' }

let provider_answer: Answer | Promise<Answer> = TAKEN
let office: Office
let boss: Person
before(async () => {
  const scripted = scriptedProvider(newPayoutScript())
  const { circuit_breaker: _, ...capabilities } = scripted.capabilities
  const provider: Provider = { ...scripted, capabilities, push: async () => provider_answer }
  office = await openOffice({}, [provider])
  boss = await office.newPerson('SUPER_ADMIN')
})
after(() => office?.close())

async function pay(phone: string): Promise<void> {
  const { world } = office
  const reply = await world.post('/v1/collections/wallet-push', { amount: '1000', phone }, { key: world.live_key })
  assert.equal(reply.status, 202, reply.text)
}

/** Returns the table of the outcomes of real money. */
const outcomesOf = ({ page, says }: Visitor) =>
  page.getByRole('table', { name: says('Matokeo ya pesa halisi', 'Outcomes of real money') })

test('the page shows the open circuit of a failed provider, and when the next call comes, beside each network of the method', async () => {
  const { world } = office
  const [sw, en] = await Promise.all(LANGUAGES.map((language) => office.comes(boss, 'operator', { language })))
  assert.ok(sw && en)
  const pages = [sw, en] as const
  const settled = () => world.system.driver.task.idle()
  await pay('0754123456')
  await pay('0684123456')
  await settled()
  for (const visitor of pages) {
    await visitor.opens('/providers')
    const lines = outcomesOf(visitor).getByRole('row')
    await lines.getByText(visitor.says('Sawa: seva inatuma maombi', 'Closed: called')).nth(1).waitFor()
    await visitor.page
      .getByText(
        visitor.says(
          'Ulinzi ni mmoja kwa kila mtoa huduma na njia',
          'There is one circuit for each provider and method',
        ),
        { exact: false },
      )
      .waitFor()
  }
  provider_answer = DOWN
  for (let i = 0; i < 5; i++) {
    await pay('0754123456')
    await settled()
  }
  for (const visitor of pages) {
    await visitor.opens('/providers')
    const open = visitor.says('Umesimamisha maombi hadi ', 'Open: not called until ')
    const due = visitor.says('Umesimamisha: ombi linalofuata ni la kujaribu', 'Open: the next call is a probe')
    const shown = outcomesOf(visitor).getByText(new RegExp(`^(${open}\\d\\d:\\d\\d:\\d\\d|${due})$`))
    await shown.nth(1).waitFor()
    assert.equal(await shown.count(), 2, 'both networks show the circuit')
    const calls = visitor.page.getByRole('table', { name: visitor.says('Maombi na ulinzi', 'Calls and circuits') })
    assert.match((await calls.innerText()).replace(/\s+/g, ' '), / 7 5 /, 'the calls and the faults of all processes')
    await visitor.looks('circuits')
    await visitor.picture('circuits')
  }
  world.deps.clock.advance(60_000)
  const answer = Promise.withResolvers<Answer>()
  provider_answer = answer.promise
  await pay('0754123456')
  // The test starts both calls at the same time, because a call without an answer ends after some seconds.
  await Promise.all(
    pages.map(async (visitor) => {
      await visitor.opens('/providers')
      await outcomesOf(visitor)
        .getByText(visitor.says('Unajaribu ombi moja', 'Being tried'), { exact: true })
        .nth(1)
        .waitFor()
    }),
  )
  answer.resolve(TAKEN)
  for (const visitor of pages) await visitor.leave()
})
