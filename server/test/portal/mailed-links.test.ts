// Tests which business the dashboard shows to a member of two: after links from e-mails, and after a new sign-in.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { mayMailInvitation } from '../../src/access/identity/index.ts'
import { inviteMember, type Merchant, setMember } from '../../src/access/merchants/index.ts'
import { listEmails } from '../../src/adapters/messages/index.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { notifyDecision } from '../../src/money/withdrawals/notify.ts'
import { rejectWithdrawal } from '../../src/money/withdrawals/review.ts'
import { fund } from '../withdrawals.ts'
import { type Office, openOffice, type Person, type Visitor } from './office.ts'

const OPERATOR = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } } as const

let office: Office
let businesses: Merchant[]
let person: Person
before(async () => {
  office = await openOffice()
  const { deps, newMerchant } = office.world
  businesses = [await newMerchant(), await newMerchant()]
  person = await office.newPerson('MERCHANT_ADMIN', businesses[0])
  await inTransaction(deps.db, (tx) => setMember(deps, tx, businesses[1]?.id as string, person.user_id, 'FINANCE'))
  for (const [i, { id }] of businesses.entries())
    await office.world.rows('update merchants set name = $2 where id = $1', [id, `Duka ${i + 1}`])
})
after(() => office.close())

/** Returns the dependencies with the address of this installation, so that e-mails link to it. */
const addressed = () => ({
  ...office.world.deps,
  config: { ...office.world.deps.config, base_url: office.url },
})

/** Makes a withdrawal that an operator rejects. Returns the path of the link in the e-mail about the rejection. */
async function rejected(merchant: Merchant, reference: string): Promise<string> {
  const { world } = office
  await fund(world, { merchant, amount: '5000' })
  const body = { amount: '1000', destination_code: 'MPESA', destination_identifier: '0754123456', reference }
  const made = await world.post('/v1/disbursements/mobile-money', body, { key: await world.newKey({ merchant }) })
  assert.equal(made.status, 202, made.text)
  const deps = addressed()
  await inTransaction(deps.db, async (tx) => {
    const of = { merchant_id: merchant.id, id: made.body.data.id as string, reason: 'No.' }
    await notifyDecision(deps, tx, await rejectWithdrawal(deps, tx, OPERATOR, of), 'rejected', 'No.')
  })
  return linkOf(merchant, person.email)
}

/** Returns the path of the newest e-mailed link about a business. */
async function linkOf(merchant: Merchant, email: string): Promise<string> {
  const mails = await listEmails(office.world.deps, { merchant_id: merchant.id })
  const text = mails.find(({ to }) => to === email)?.text ?? ''
  const link = text.split('\n').find((line) => line.includes(`${office.url}/dashboard`)) ?? ''
  const address = /https?:\/\/\S+/.exec(link)?.[0] ?? ''
  assert.ok(address.startsWith(`${office.url}/dashboard`), text)
  return address.slice(`${office.url}/dashboard`.length)
}

test('a member of two businesses opens the withdrawal of an e-mail, whichever business the browser showed last, and then the list of the other one', async () => {
  const links: string[] = []
  for (const [i, merchant] of businesses.entries()) links.push(await rejected(merchant, `PAY-${i + 1}`))
  const visitor = await office.comes(person, 'dashboard')
  const { page } = visitor
  // The first link opens after the sign-in. Each later link names the business that the console does not show.
  for (const i of [1, 0, 1]) {
    await visitor.opens(links[i] as string)
    await page
      .locator('main')
      .getByText(`PAY-${i + 1}`)
      .first()
      .waitFor()
    assert.equal(await page.getByLabel('Business', { exact: true }).inputValue(), businesses[i]?.id)
    assert.equal(new URL(page.url()).search, '', 'the address contains only the page')
  }
  // The other business has no such withdrawal, so the choice opens its list.
  await page.getByLabel('Business', { exact: true }).selectOption(businesses[0]?.id as string)
  await page.waitForURL(/sandbox\/withdrawals$/)
  await page.locator('main').getByText('PAY-1').first().waitFor()
  await visitor.picture('business-chosen-on-a-record')
  // After a reload, the console still shows the business that the reader chose.
  await visitor.opens('/sandbox/withdrawals')
  await page.locator('main').getByText('PAY-1').first().waitFor()
  await remembersChoice(visitor)
  await visitor.leave()
})

/** Signs out, and signs in on the same browser as this person. */
async function signsInAs({ page, press }: Visitor, { email, password }: Person): Promise<void> {
  await press('', 'Sign out')
  await page.waitForURL(/\/identity\//)
  if (/sign-out/.test(page.url())) await page.locator('form button').first().click()
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.locator('form button').first().click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

/**
 * Checks that the console opens the business that the person used last, and only for this person. Another person gets the business
 * with the newest payment, and keeps it.
 */
async function remembersChoice(visitor: Visitor): Promise<void> {
  const { page } = visitor
  const { deps, rows } = office.world
  const [first, second] = businesses.map(({ id }) => id) as [string, string]
  const choice = page.getByLabel('Business', { exact: true })
  const kept = ({ user_id }: Person) => `localStorage['malipo.dashboard.merchant.${user_id}']`
  const closeTab = "sessionStorage.removeItem('malipo.dashboard.merchant')"
  const colleague = await office.newPerson('VIEWER', businesses[0])
  await inTransaction(deps.db, (tx) => setMember(deps, tx, second, colleague.user_id, 'VIEWER'))
  await choice.selectOption(first)
  await signsInAs(visitor, colleague)
  assert.equal(await choice.inputValue(), second, 'another user gets the business with the newest payment')
  await fund(office.world, { merchant: businesses[0] as Merchant, amount: '1000' })
  await page.evaluate(closeTab)
  await visitor.opens('/sandbox')
  assert.equal(await choice.inputValue(), second, 'a later payment of another business changes nothing')
  assert.equal(await page.evaluate(kept(colleague)), second)
  await signsInAs(visitor, person)
  assert.equal(await choice.inputValue(), first, 'the member gets the business of the last use')
  // A choice in another tab does not change this tab.
  await page.evaluate(`${kept(person)} = '${second}'`)
  await visitor.opens('/sandbox')
  assert.equal(await choice.inputValue(), first)
  // A new tab has no business of its own, and the person no longer belongs to the one of the last use.
  await page.evaluate(`${kept(person)} = '${second}'; ${closeTab}`)
  await rows('delete from members where merchant_id = $1 and user_id = $2', [second, person.user_id])
  await visitor.opens('/sandbox')
  await page.locator('.business-name').getByText('Duka 1', { exact: true }).waitFor()
}

test('a member whom a second business invited opens that business by the link in the e-mail', async () => {
  const deps = addressed()
  const invited = await office.newPerson('VIEWER', businesses[0])
  const invitation = {
    merchant_id: businesses[1]?.id as string,
    email: invited.email,
    name: null,
    role: 'VIEWER',
  } as const
  await inTransaction(deps.db, (tx) => inviteMember(deps, tx, OPERATOR, invitation, mayMailInvitation))
  const visitor = await office.comes(invited, 'dashboard')
  await visitor.opens(await linkOf(businesses[1] as Merchant, invited.email))
  await visitor.page.getByRole('heading', { level: 1 }).first().waitFor()
  assert.equal(await visitor.page.getByLabel('Business', { exact: true }).inputValue(), businesses[1]?.id)
  await visitor.leave()
})
