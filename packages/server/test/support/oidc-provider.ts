import { createHash, createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { madeSecret } from './made-secrets.ts'

export const CLIENT = { id: 'mailhatch-test', secret: 'secret of the client/with+signs' }

type Claims = Record<string, unknown>

/** How the provider treats users. Tests change it in place. */
export type Behaviour = {
  /** The user who signs in at the provider. */
  person: Claims
  /** Override the claims of the ID token. */
  claims: Claims
  /** Claims that only the user info endpoint returns. */
  userInfo: Claims | null
  signing: 'RS256' | 'none' | 'stranger' | 'HS256 with the public key'
  refuses: boolean
  /** How the client must authenticate; null for a public client. */
  secretBy: 'client_secret_basic' | 'client_secret_post' | null
}

type Asked = { challenge: string; nonce: string; redirectUri: string }

/** A small OpenID Connect provider on loopback: discovery, keys, code flow with PKCE, ID tokens. */
export async function startProvider() {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const behaviour: Behaviour = {
    person: { sub: 'person-1', email: 'ada@corp.example', email_verified: true, name: 'Ada Lovelace' },
    claims: {},
    userInfo: null,
    signing: 'RS256',
    refuses: false,
    secretBy: 'client_secret_basic',
  }
  const codes = new Map<string, Asked>()
  const server = createServer((request, response) => {
    void answer(request).then(({ status = 200, location, body = {} }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
      response.end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function idToken({ nonce }: Asked): string {
    const at = Math.floor(Date.now() / 1000)
    const always = { iss: issuer, aud: CLIENT.id, iat: at, exp: at + 300, nonce }
    const payload = { ...always, ...behaviour.person, ...behaviour.claims }
    return signed(payload, behaviour.signing, {
      own: keys.privateKey,
      other: stranger.privateKey,
      public: keys.publicKey,
    })
  }

  type Reply = { status?: number; location?: string; body?: object }

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url!, issuer)
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return { body: metadata(issuer, behaviour) }
      case '/jwks':
        return {
          body: { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] },
        }
      case '/authorize':
        return authorize(url.searchParams)
      case '/token':
        return token(request)
      case '/userinfo':
        return { body: { sub: behaviour.person['sub'], ...behaviour.userInfo } }
      default:
        return { status: 404 }
    }
  }

  function authorize(query: URLSearchParams): Reply {
    const redirectUri = query.get('redirect_uri')!
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state')!)
    if (behaviour.refuses) back.searchParams.set('error', 'access_denied')
    else {
      const code = madeSecret(randomUUID())
      codes.set(code, { challenge: query.get('code_challenge')!, nonce: query.get('nonce')!, redirectUri })
      back.searchParams.set('code', code)
    }
    return { status: 302, location: back.href }
  }

  async function token(request: IncomingMessage): Promise<Reply> {
    const form = new URLSearchParams(await text(request))
    const asked = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isFine = asked?.challenge === challenge && asked.redirectUri === form.get('redirect_uri')
    if (!isClient(behaviour, form, request.headers.authorization)) {
      return { status: 401, body: { error: 'invalid_client' } }
    }
    if (!asked || !isFine) return { status: 400, body: { error: 'invalid_grant' } }
    const tokens = { access_token: madeSecret(randomUUID()), id_token: madeSecret(idToken(asked)) }
    return { body: { ...tokens, token_type: 'Bearer', expires_in: 60 } }
  }

  return { issuer, behaviour }
}

function metadata(issuer: string, { userInfo, secretBy }: Behaviour): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    ...(userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [secretBy ?? 'none'],
  }
}

function isClient({ secretBy }: Behaviour, form: URLSearchParams, authorization: string | undefined): boolean {
  if (secretBy === 'client_secret_basic') {
    // RFC 6749 section 2.3.1: both are form-encoded before they are joined.
    const joined = atob(/^Basic (.+)$/.exec(authorization ?? '')?.[1] ?? '')
    const [id, secret] = joined.split(':').map((word) => new URLSearchParams(`word=${word}`).get('word'))
    return id === CLIENT.id && secret === CLIENT.secret && !form.has('client_secret')
  }
  const secret = secretBy === null ? null : CLIENT.secret
  return form.get('client_id') === CLIENT.id && form.get('client_secret') === secret && authorization === undefined
}

type Keys = { own: KeyObject; other: KeyObject; public: KeyObject }

function signed(payload: object, signing: Behaviour['signing'], keys: Keys): string {
  const algorithm = signing === 'stranger' ? 'RS256' : signing.split(' ')[0]!
  const content = `${encode({ alg: algorithm, kid: 'one', typ: 'JWT' })}.${encode(payload)}`
  return `${content}.${signature(content, signing, keys)}`
}

function signature(content: string, signing: Behaviour['signing'], keys: Keys): string {
  if (signing === 'none') return ''
  if (signing === 'HS256 with the public key') {
    const secret = keys.public.export({ format: 'pem', type: 'spki' })
    return createHmac('sha256', secret).update(content).digest('base64url')
  }
  return sign('sha256', Buffer.from(content), signing === 'RS256' ? keys.own : keys.other).toString('base64url')
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
