// A small app to test: users sign up with a code or a link that it mails to them.
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTransport, type SendMailOptions } from 'nodemailer'

type App = {
  url: string
  /** Maps addresses to codes, and tokens to addresses. */
  expected: Map<string, string>
  send: (mail: SendMailOptions) => Promise<unknown>
}

type Page = { status: number; html: string }

/** Starts the app on a free port. It sends mail to the SMTP server at `smtpPort`. */
export async function startApp({ smtpPort }: { smtpPort: number }) {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, pool: true })
  const app: App = {
    url: '',
    expected: new Map(),
    send: (mail) => transport.sendMail({ from: 'Shop <app@shop.example>', ...mail }),
  }
  const server = createServer((request, response) => {
    void respond(request, app)
      .catch((error: unknown) => page(`<p role="alert">${escaped(String(error))}</p>`, 500))
      .then(({ status, html }) => response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  app.url = `http://127.0.0.1:${port}`
  return {
    url: app.url,
    async close(): Promise<void> {
      transport.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function respond(request: IncomingMessage, app: App): Promise<Page> {
  const { pathname, searchParams } = new URL(request.url ?? '/', app.url)
  const form = request.method === 'POST' ? await readForm(request) : searchParams
  const email = form.get('email') ?? ''
  if (pathname === '/') return page(START)
  if (pathname === '/sign-up-by-code') return signUpByCode(email, app)
  if (pathname === '/enter-code') return enterCode(email, form.get('code') ?? '', app)
  if (pathname === '/sign-up-by-link') return signUpByLink(email, app)
  if (pathname === '/confirm') return confirm(form.get('token') ?? '', app)
  if (pathname === '/invite') return invite(email, app)
  return page('<h1>Not found</h1>', 404)
}

const START = `
  <h1>Shop</h1>
  <form method="post">
    <label>Email <input name="email" type="email" required></label>
    <button formaction="/sign-up-by-code">Sign up by code</button>
    <button formaction="/sign-up-by-link">Sign up by link</button>
    <button formaction="/invite">Invite</button>
  </form>`

async function signUpByCode(email: string, { expected, send }: App): Promise<Page> {
  const code = String(randomInt(100_000, 1_000_000))
  expected.set(email, code)
  await send({
    to: email,
    subject: 'Verify your address',
    html: `<p>Welcome to the shop!</p><p>Your code is <b>${code}</b>. It is valid for 10 minutes.</p>`,
  })
  return page(codeForm(email))
}

async function enterCode(email: string, code: string, { expected, send }: App): Promise<Page> {
  if (expected.get(email) !== code) return page(`<p role="alert">That is not the code.</p>${codeForm(email)}`, 422)
  await send({
    to: email,
    subject: 'Your receipt',
    text: 'Thank you for signing up.',
    attachments: [{ filename: 'receipt.txt', content: 'One account, free of charge.' }],
  })
  return welcome(email)
}

const codeForm = (email: string): string => `
  <h1>We sent you a code</h1>
  <form method="post">
    <input name="email" type="hidden" value="${escaped(email)}">
    <label>Code <input name="code" autocomplete="one-time-code"></label>
    <button formaction="/enter-code">Continue</button>
    <button formaction="/sign-up-by-code">Send another code</button>
  </form>`

async function signUpByLink(email: string, { expected, send, url }: App): Promise<Page> {
  const token = randomUUID()
  expected.set(token, email)
  await send({
    to: email,
    subject: 'Your magic link',
    html: `<p>Hello!</p><p><a href="${url}/confirm?token=${token}">Confirm your address</a></p>`,
  })
  return page('<h1>We sent you a link</h1>')
}

function confirm(token: string, { expected }: App): Page {
  const email = expected.get(token)
  return email === undefined ? page('<p role="alert">That link is not valid.</p>', 422) : welcome(email)
}

async function invite(email: string, { send, url }: App): Promise<Page> {
  await send({ to: email, subject: 'You are invited', text: `Join us: ${url}/` })
  return page('<h1>Invitation sent</h1>')
}

const welcome = (email: string): Page => page(`<h1>Welcome, ${escaped(email)}</h1>`)

const page = (body: string, status = 200): Page => ({
  status,
  html: `<!doctype html><title>Shop</title><main>${body}</main>`,
})

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return new URLSearchParams(body)
}
