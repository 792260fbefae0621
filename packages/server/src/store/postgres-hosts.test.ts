import { expect, test } from 'vitest'
import { isConnectionLost, isReadOnly, DatabaseReadOnly } from './postgres-errors.ts'
import { createRotation, failureOf, HostFailure, nameHosts, splitHosts } from './postgres-hosts.ts'

const START = 'postgres://app:geheim@'

test.each([
  ['one host stays as it is', `${START}db.example.com/mail`, [`${START}db.example.com/mail`]],
  ['no host at all is for the driver', 'postgres:///mail?host=/run', ['postgres:///mail?host=/run']],
  ['a host without a port has 5432', `${START}a:1,b/mail`, [`${START}a:1/mail`, `${START}b:5432/mail`]],
  [
    'parameters are for all',
    'postgresql://a,b/m?x=1,2',
    ['postgresql://a:5432/m?x=1,2', 'postgresql://b:5432/m?x=1,2'],
  ],
  [
    'a password may have commas',
    'postgres://app:a,b@c,d@x,y',
    ['postgres://app:a,b@c,d@x:5432', 'postgres://app:a,b@c,d@y:5432'],
  ],
  ['IPv6 is in brackets', 'postgres://[::1]:7,[fe80::2]/m', ['postgres://[::1]:7/m', 'postgres://[fe80::2]:5432/m']],
])('%s', (_, url, urls) => {
  expect(splitHosts(url)).toEqual(urls)
})

test.each([
  ['a:5432,,c', /^has an empty host \(host 2 of 3\)/],
  ['a,', /^has an empty host \(host 2 of 2\)/],
  [',b', /^has an empty host \(host 1 of 2\)/],
  [':5432,b', /^has an empty host \(host 1 of 2\)/],
  ['a,b:port', /^has an invalid port \(host 2 of 2\): use a number from 1 to 65535/],
  ['a:0,b', /^has an invalid port \(host 1 of 2\)/],
  ['a:65536', /^has an invalid port: /],
  ['a,[::1', /^must be postgres:\/\//],
  ['a,b c', /^must be postgres:\/\//],
  ['a,b/mail?host=c', /^has several hosts, so the parameters host and port must be absent/],
  ['a,b/mail?sslmode=disable&port=1', /^has several hosts/],
])('the hosts %s are refused, without the password', (hosts, reason) => {
  const refusal = () => splitHosts(`${START}${hosts}`)
  expect(refusal).toThrow(reason)
  expect(refusal).not.toThrow('geheim')
})

test('hosts are named without user and password', () => {
  expect(nameHosts(`${START}a:1,b/mail`)).toBe('a:1,b:5432')
})

function rotate(urls = ['postgres://a/m', 'postgres://b/m', 'postgres://c/m']) {
  const reported: string[] = []
  let time = 1_000
  const onFailure = ({ message }: HostFailure) => void reported.push(message)
  const hosts = createRotation(urls, { now: () => time, onFailure })
  return {
    hosts,
    reported,
    next: (count: number) => Array.from({ length: count }, () => nameHosts(hosts.next())).join(''),
    fail: (name: string) => hosts.failed(`postgres://${name}/m`, new Error('gone')),
    wait: (ms: number) => void (time += ms),
  }
}

test('each host has its turn', () => {
  expect(rotate().next(7)).toBe('abcabca')
})

test('a host that failed is left out for a while; the others share its turns', () => {
  const { hosts, next, fail, wait } = rotate()
  fail('b')
  expect(next(4)).toBe('acac')
  wait(5_000)
  expect(next(3)).toBe('abc')
  fail('b')
  hosts.reached('postgres://b/m')
  expect(next(3)).toBe('abc')
})

test('if all failed, as many attempts as there are hosts try each of them', () => {
  const { next, fail, wait } = rotate()
  for (const name of ['c', 'a', 'b']) {
    wait(1)
    fail(name)
  }
  const tried = Array.from({ length: 3 }, () => {
    const name = next(1)
    wait(1)
    fail(name)
    return name
  })
  expect(tried.join('')).toBe('cab')
})

test('a failure is reported once until the host is reached again', () => {
  const { hosts, fail, reported, wait } = rotate()
  fail('a')
  wait(10_000)
  fail('a')
  expect(reported).toEqual(['a: gone'])
  hosts.reached('postgres://a/m')
  fail('a')
  expect(reported).toEqual(['a: gone', 'a: gone'])
  const single = rotate(['postgres://a/m'])
  single.fail('a')
  expect(single.reported).toEqual([])
})

test('one error names what failed at each host, and is temporary if one of them is', () => {
  const refused = Object.assign(new Error('wrong password'), { severity: 'FATAL', code: '28P01' })
  const at = (name: string, error: Error) => new HostFailure(`postgres://app:geheim@${name}/m`, error)
  const failures = [at('a:1', refused), at('b', new Error('timeout expired'))]
  expect(String(failureOf(failures))).toBe('HostsFailed: a:1: wrong password; b: timeout expired')
  expect(isConnectionLost(failureOf(failures))).toBe(true)
  expect(isConnectionLost(failureOf([at('a', refused), at('b', refused)]))).toBe(false)
  const readOnly = new DatabaseReadOnly()
  expect(isReadOnly(failureOf([at('a', readOnly), at('b', readOnly)]))).toBe(true)
  expect(isReadOnly(failureOf([at('a', readOnly), at('b', refused)]))).toBe(false)
  // The error of a single host has no other form than before.
  expect(failureOf([at('a', refused)])).toBe(refused)
})
