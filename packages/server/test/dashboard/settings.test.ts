import { expect, test } from 'vitest'
import { createToken } from '../../src/manage/one-time-tokens.ts'
import { newSecret } from '../../src/random.ts'
import { reuseWindows, signInByLink } from '../support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const browser = await openChromium()
const { url } = server
const open = reuseWindows(browser, url)

async function openOwner(path: string) {
  const window = await open({ headers: (await people.operator()).headers })
  await window.page.goto(path)
  return window
}

test('a one-time link signs in once', async () => {
  const { id } = await people.operator()
  const token = await createToken({ store: people.store, newSecret, now: Date.now }, id, 'sign-in')
  const first = await open()
  await signInByLink(first.page, token)
  const second = await open()
  await second.page.goto(`/sign-in?token=${token}`)
  await second.page.getByRole('button', { name: 'Sign in' }).click()
  const refusal = await second.page.getByRole('alert').innerText()
  expect(refusal).toContain('expired or was used already')
  expect(refusal).toMatch(/token_invalid · request \S+/)
  expect([...first.complaints, ...second.complaints]).toEqual([])
})

test('a visitor is asked to sign in, and then gets to the requested page', async () => {
  const member = await open()
  await member.page.goto('/settings/team')
  await member.page.waitForURL('**/sign-in?next=*')
  expect(new URL(member.page.url()).searchParams.get('next')).toBe('/settings/team')
})

test('a key is shown once, reads mail, and is invalid after its deletion', async () => {
  const { page, complaints } = await openOwner('/settings/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('CI of the shop')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your new key' })
  const key = await dialog.locator('code').innerText()
  expect(key).toMatch(/^mh_\w{36}$/)
  const done = dialog.getByRole('button', { name: 'Done' })
  expect(await done.isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Copy key' }).click()
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
  await page.getByText('Key deleted.').first().waitFor()
  expect(await ask()).toBe(401)
  expect(complaints).toEqual([])
})

test('usage is current, also when it was shown a moment ago', async () => {
  const { owner } = await people.newTeam()
  const { name, domain } = await owner.call.inbox.mailboxes.create.mutate({ name: 'counted' })
  const send = () => server.store({ mailbox: name, domain })
  await send()
  const { page } = await open({ headers: owner.headers })
  // However slow the machine is, the page was shown a moment ago: what may be kept for a while stays fresh.
  await page.clock.setFixedTime(new Date())
  await page.goto('/settings/usage')
  await page.getByRole('heading', { name: '1 message in the last 30 days' }).waitFor()
  await page.getByRole('link', { name: 'Inbox', exact: true }).click()
  await page.getByRole('list', { name: 'Messages' }).waitFor()
  for (let count = 0; count < 10; count++) await send()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.locator('dt:text-is("Messages") + dd').getByText('11', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Usage', exact: true }).click()
  await page.getByRole('heading', { name: '11 messages in the last 30 days' }).waitFor()
})

test('a domain is changed and changed back', async () => {
  const { page } = await openOwner('/settings/domain')
  const domain = page.getByLabel('Custom domain')
  for (const name of ['mail.staging.example', 'mailhatch.test']) {
    await domain.fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`@${name}`).waitFor()
  }
  await domain.fill('no domain!')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('Enter a valid domain name.')
})

test('the set-up page has the settings of at least ten frameworks, also when there is mail', async () => {
  await server.store({ domain: 'mailhatch.test' })
  const { page, complaints } = await openOwner('/settings')
  await page.getByRole('link', { name: 'Set-up', exact: true }).click()
  const tabs = page.getByRole('tablist', { name: 'Framework' }).getByRole('tab')
  await tabs.first().waitFor()
  expect(await tabs.count()).toBeGreaterThanOrEqual(10)
  for (const name of await tabs.allInnerTexts()) {
    await page.getByRole('tab', { name, exact: true }).click()
    const code = page.getByRole('figure').filter({ hasText: name }).locator('pre')
    await expect.poll(() => code.innerText()).toContain(String(server.smtpPort))
  }
  expect(await page.getByText('our tests do not run it').count()).toBe(1)
  await page.getByText('such as gmail.com, is under “Other addresses”').waitFor()
  expect(complaints).toEqual([])
})

test('a webhook on localhost is explained before the server refuses it', async () => {
  const { page, complaints } = await openOwner('/settings/webhooks')
  await page.getByText('Does your app run on localhost?').click()
  await page.getByText('npx mailhatch listen --forward-to http://localhost:3000/hook').waitFor()
  await page.getByRole('button', { name: 'Add endpoint' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add endpoint' })
  await dialog.getByLabel('URL').fill('https://hooks.example.com/')
  expect(await dialog.getByText('mailhatch listen').count()).toBe(0)
  await dialog.getByLabel('URL').fill('http://127.0.0.1:4000/mail')
  await dialog.getByText('npx mailhatch listen --forward-to http://127.0.0.1:4000/mail').waitFor()
  await dialog.getByText('WEBHOOK_ALLOWED_HOSTS=127.0.0.1:4000').waitFor()
  expect(await barriersIn(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(complaints).toEqual([])
})
