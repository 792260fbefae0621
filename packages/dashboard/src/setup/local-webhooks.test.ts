import { expect, test } from 'vitest'
import { isLocalUrl } from './local-webhooks.tsx'

test.each([
  ['http://localhost:3000/hook', true],
  ['https://LOCALHOST', true],
  ['http://app.localhost/', true],
  ['http://127.0.0.1:8080/', true],
  ['http://2130706433/', true],
  ['http://192.168.0.7/x', true],
  ['http://172.20.1.1/x', true],
  ['http://[::1]:3000/', true],
  ['http://[fd00::1]/', true],
  ['http://mac.local:3000', true],
  ['https://hooks.example.com/', false],
  ['https://172.40.1.1/', false],
  ['https://localhost.example.com/', false],
  ['https://10.example.com/', false],
  ['ftp://localhost/', false],
  ['localhost:3000', false],
  ['', false],
])('%s is local: %s', (url, isLocal) => {
  expect(isLocalUrl(url)).toBe(isLocal)
})
