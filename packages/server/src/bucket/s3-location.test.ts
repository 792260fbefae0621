import { describe, expect, test } from 'vitest'
import { objectUrl, parseS3Location } from './s3-location.ts'

test.each([
  ['s3://mail?region=eu-central-1', 'https://mail.s3.eu-central-1.amazonaws.com', 'eu-central-1', ''],
  ['s3://mail?region=eu-central-1&style=path', 'https://s3.eu-central-1.amazonaws.com/mail', 'eu-central-1', ''],
  ['s3://mail?endpoint=http://127.0.0.1:9000', 'http://127.0.0.1:9000/mail', 'auto', ''],
  ['s3://mail?endpoint=http://127.0.0.1:9000/&region=us-east-1', 'http://127.0.0.1:9000/mail', 'us-east-1', ''],
  ['s3://mail?endpoint=https%3A%2F%2Fs3.test%2Fbase%2F', 'https://s3.test/base/mail', 'auto', ''],
  ['s3://mail/?endpoint=https://s3.test&style=virtual', 'https://mail.s3.test', 'auto', ''],
  ['s3://my.Mail_2/team-a/in.box/?endpoint=https://s3.test', 'https://s3.test/my.Mail_2', 'auto', 'team-a/in.box/'],
])('%s', (given, url, region, prefix) => {
  expect(parseS3Location(given)).toMatchObject({ url, region, prefix })
})

test.each([
  ['s3://', 'must name a bucket'],
  ['s3://?endpoint=https://s3.test', 'must name a bucket'],
  ['s3://mail box', 'must be s3://<bucket>'],
  ['s3://mail:9000?region=x', 'must name a bucket'],
  ['s3://mail', 'requires region='],
  ['s3://mail?region=', 'requires region='],
  ['s3://mail?region=eu%20central', 'region such as'],
  ['s3://mail?endpiont=https://s3.test', 'has the unknown parameter endpiont'],
  ['s3://mail?endpoint=s3.test', 'endpoint with http:// or https://'],
  ['s3://mail?endpoint=https://key@s3.test', 'only host, port and path'],
  ['s3://mail?endpoint=https://s3.test&style=host', 'style=path or style=virtual'],
  ['s3://key:secret@mail?endpoint=https://s3.test', 'must not contain credentials'],
  ['s3://mail/a//b?endpoint=https://s3.test', 'must have a prefix of'],
  ['s3://mail/a%2Fb?endpoint=https://s3.test', 'must have a prefix of'],
])('%s is refused', (given, message) => {
  expect(() => parseS3Location(given)).toThrow(message)
})

describe('addresses of objects', () => {
  const location = parseS3Location('s3://mail/in?endpoint=https://s3.test')

  test('keep every character of the key, also through URL', () => {
    const key = `raw/a b+c@d%2E%2E/%/!'()*~?#&=é/...`
    const url = objectUrl(location, key)
    expect(url).toBe('https://s3.test/mail/in/raw/a%20b%2Bc%40d%252E%252E/%25/%21%27%28%29%2A~%3F%23%26%3D%C3%A9/...')
    expect(new URL(url).href).toBe(url)
  })

  test.each(['raw/../x', '..', 'raw/.'])('%s has no URL', (key) => {
    expect(() => objectUrl(location, key)).toThrow('Not a valid S3 key')
  })
})
