import { describe, expect, test } from 'vitest'
import { AppError } from '../domain/errors.ts'
import { acceptWebhookUrl, parseAllowedHosts } from './webhook-url.ts'

const NO_HOSTS = parseAllowedHosts('')

const INSECURE = { code: 'webhook_url_insecure', status: 400, message: 'Webhook URL must use HTTPS.' }
const PRIVATE = {
  code: 'webhook_url_private',
  status: 400,
  message: 'Webhook URL must not point to a private address.',
}
const INVALID = { code: 'validation_failed', status: 400 }

describe('a public URL', () => {
  test.each([
    'https://hooks.example.com/mail?team=1',
    'https://hooks.example.com:8443',
    'https://hooks.example.com:80',
    'https://hooks.example.com:1024',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://localhost.example.com/',
    'https://mylocal/',
    'https://internal.example.com/',
    `https://hooks.example.com/${'x'.repeat(2_048 - 26)}`,
  ])('%s is accepted unchanged', (url) => {
    expect(acceptWebhookUrl(url, NO_HOSTS)).toBe(url)
  })

  test.each([
    'HTTPS://Hooks.Example.com/mail',
    'https://hooks.example.com:443/mail',
    'https://hooks.example.com/./mail#part',
    'https://hooks.example.com/a/../mail',
  ])('%s is normalised', (url) => {
    expect(acceptWebhookUrl(url, NO_HOSTS)).toBe('https://hooks.example.com/mail')
  })

  test.each([
    ['http://hooks.example.com/', INSECURE],
    ['ftp://hooks.example.com/', INSECURE],
    ['file:///etc/passwd', INSECURE],
    ['javascript:alert(1)', INSECURE],
    ['https://hooks.example*/', INVALID],
    ['https://hooks..example.com/', INVALID],
    ['https://localhost/', PRIVATE],
    ['https://LOCALHOST./', PRIVATE],
    ['https://api.localhost/', PRIVATE],
    ['https://printer.local/', PRIVATE],
    ['https://metadata.google.internal/', PRIVATE],
    ['https://127.0.0.1/', PRIVATE],
    ['https://0x7f.1/', PRIVATE],
    ['https://2130706433/', PRIVATE],
    ['https://[::1]/', PRIVATE],
    ['https://[::ffff:10.0.0.1]/', PRIVATE],
    ['https://user@hooks.example.com/', INVALID],
    ['https://:password@hooks.example.com/', INVALID],
    ['https://hooks.example.com./', INVALID],
    ['https://[fe80::1%25eth0]/', INVALID],
    ['https://hooks.example.com:25/', INVALID],
    ['https://hooks.example.com:442/', INVALID],
    ['https://hooks.example.com:1023/', INVALID],
    ['https://hooks.example.com:5432/', INVALID],
    ['https://hooks.example.com:0/', INVALID],
    ['https://hooks.example.com:65536/', INVALID],
    ['https://', INVALID],
    ['hooks.example.com', INVALID],
    ['', INVALID],
    [`https://hooks.example.com/${'x'.repeat(2_049 - 26)}`, INVALID],
  ])('%s is refused', (url, refusal) => {
    const error = refusalOf(url)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ ...refusal, details: { url: [error!.message] } })
  })
})

describe('an allowed host', () => {
  test.each([
    ['localhost', 'http://localhost:3000/hook'],
    ['localhost', 'https://LOCALHOST/hook'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/hook'],
    ['127.0.0.1:3000', 'http://127.1:3000/hook'],
    ['receiver:80, other', 'http://receiver/hook'],
    ['receiver.local:443', 'https://receiver.local/hook'],
    ['[::1]:3000', 'http://[0::1]:3000/hook'],
    ['Receiver.Internal', 'http://receiver.internal:25/hook'],
  ])('%s allows %s', (allowed, url) => {
    expect(() => acceptWebhookUrl(url, parseAllowedHosts(allowed))).not.toThrow()
    expect(refusalOf(url)).not.toBeNull()
  })

  test.each([
    ['localhost:3000', 'http://localhost:3001/hook', INSECURE],
    ['localhost:3000', 'https://localhost/hook', PRIVATE],
    ['127.0.0.1', 'https://127.0.0.2/hook', PRIVATE],
    ['receiver', 'http://a.receiver/hook', INSECURE],
    ['localhost', 'ftp://localhost/hook', INSECURE],
    ['localhost', 'http://user:password@localhost/hook', INVALID],
  ])('%s does not allow %s', (allowed, url, refusal) => {
    expect(refusalOf(url, allowed)).toMatchObject(refusal)
  })

  test.each([
    'http://localhost',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    'a b',
    '::1',
    'user@host',
    'host/path',
  ])('%j is not an allowed host', (entry) => {
    expect(() => parseAllowedHosts(`good.test, ${entry}`)).toThrow(
      `comma-separated list of host or host:port; "${entry}" is neither`,
    )
  })
})

function refusalOf(url: string, allowed = ''): AppError | null {
  try {
    acceptWebhookUrl(url, parseAllowedHosts(allowed))
    return null
  } catch (error) {
    // Anything else fails the comparison that follows.
    return error as AppError
  }
}
