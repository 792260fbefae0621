import { expect, test } from 'vitest'
import { giveToken } from '../../src/manage/one-time-tokens.ts'
import { newSecret } from '../../src/random.ts'
import { openWindow, signInByLink } from '../support/dashboard-session.ts'
import { buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

await buildDashboard()
const server = await startFileServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
const people = await openPeople(server)
const browser = await openChromium()
const { url } = server

async function openOwner(path: string) {
  const window = await openWindow(browser, { url, headers: (await people.operator()).headers })
  await window.page.goto(path)
  return window
}

test('a one-time link signs in once', async () => {
  const { id } = await people.operator()
  const token = await giveToken({ store: people.store, newSecret, now: Date.now }, id, 'sign-in')
  const first = await openWindow(browser, { url })
  await signInByLink(first.page, token)
  const second = await openWindow(browser, { url })
  await second.page.goto(`/sign-in?token=${token}`)
  await second.page.getByRole('button', { name: 'Sign in' }).click()
  const refusal = await second.page.getByRole('alert').innerText()
  expect(refusal).toContain('expired or was used already')
  expect(refusal).toMatch(/token_invalid · request \S+/)
  expect([...first.complaints, ...second.complaints]).toEqual([])
})

test('strangers are asked to sign in, and then get to where they were going', async () => {
  const member = await openWindow(browser, { url })
  await member.page.goto('/settings/team')
  await member.page.waitForURL('**/sign-in?next=*')
  expect(new URL(member.page.url()).searchParams.get('next')).toBe('/settings/team')
})

test('a key is shown once, reads mail, and is dead when it is deleted', async () => {
  const { page, complaints } = await openOwner('/settings/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('CI of the shop')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = await dialog.locator('code').innerText()
  expect(key).toMatch(/^mh_\w{36}$/)
  const done = dialog.getByRole('button', { name: 'Done' })
  expect(await done.isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Copy the key' }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await dialog.getByLabel('I have saved the key').check()
  await done.click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(key)

  const ask = async () => (await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await ask()).toBe(200)
  await page.getByRole('button', { name: 'Actions for CI of the shop' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The key was deleted.').first().waitFor()
  expect(await ask()).toBe(401)
  expect(complaints).toEqual([])
})

test('a webhook is added, tested, seen and replayed', async () => {
  const receiver = await startWebhookReceiver(() => ({ status: 200, body: 'taken' }))
  const { page, complaints } = await openOwner('/settings/webhooks')
  await page.getByRole('button', { name: 'Add endpoint' }).first().click()
  await page.getByLabel('URL').fill(`${receiver.url}/hook`)
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  const secret = page.getByRole('dialog', { name: 'The signing secret' })
  expect(await secret.locator('code').innerText()).toMatch(/^whsec_/)
  await secret.getByLabel('I have saved the secret').check()
  await secret.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: `${receiver.url}/hook` }).click()
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page
    .getByText(/The endpoint answered 200 in \d+ ms/)
    .first()
    .waitFor()
  expect(receiver.received).toHaveLength(1)
  await page.locator('summary', { hasText: 'delivered' }).click()
  await page.getByLabel('Body of the response').getByText('taken').waitFor()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
  expect(complaints).toEqual([])
})

test('someone who is invited makes an account, joins, and may only look', async () => {
  const email = 'colleague@acme.example'
  const owner = await openOwner('/settings/team')
  await owner.page.getByLabel('Invite by e-mail').fill(email)
  await owner.page.getByRole('button', { name: 'Invite', exact: true }).click()
  await owner.page.getByRole('button', { name: 'Copy link' }).click()
  await owner.page.getByRole('button', { name: 'Copied' }).waitFor()
  const link = new URL(await owner.page.evaluate(() => navigator.clipboard.readText()))
  expect(link.pathname).toBe('/teams')

  // A phone.
  const { page, complaints } = await openWindow(browser, { url, viewport: { width: 375, height: 740 } })
  await page.goto(link.pathname + link.search)
  await page.getByRole('heading', { name: 'You are invited' }).waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.getByRole('heading', { name: 'Join' }).waitFor()
  await page.getByRole('button', { name: 'Join the team' }).click()
  await page.getByText('You are now a member of My Team.').first().waitFor()

  await page.goto('/settings/domain')
  await page.getByText('Only owners of the team change the domain.').waitFor()
  expect(await page.getByLabel('Domain of your own').count()).toBe(0)
  await owner.page.goto('/settings/domain')
  await owner.page.getByLabel('Domain of your own').waitFor()

  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect([...complaints, ...owner.complaints]).toEqual([])
})

test('a domain is changed and changed back', async () => {
  const { page } = await openOwner('/settings/domain')
  const domain = page.getByLabel('Domain of your own')
  for (const name of ['mail.staging.example', 'mailhatch.test']) {
    await domain.fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`@${name}`).waitFor()
  }
  await domain.fill('no domain!')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('Enter a valid domain name.')
})
