import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ClientAuth,
  type Configuration,
} from 'openid-client'
import { AppError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { ProviderClaims } from './provider-sign-in.ts'

/** Of one request to the provider. */
const PROVIDER_SECONDS_MAX = 10
const SCOPE = 'openid email profile'

/** What the browser keeps between leaving for the provider and coming back. */
export type Departure = { state: string; nonce: string; verifier: string }

export type Oidc = {
  start(): Promise<{ url: string; departure: Departure }>
  /** `search` is the query that the browser came back with. */
  finish(search: string, departure: Departure): Promise<ProviderClaims>
}

type Options = {
  issuer: string
  clientId: string
  /** Null for a public client: then the verifier alone proves who began. */
  clientSecret: string | null
  redirectUrl: string
  log: Pick<Log, 'warn'>
}

/** Sign-in by any provider that speaks OpenID Connect: code flow with PKCE, state, nonce and signed ID tokens. */
export function createOidc({ issuer, clientId, clientSecret, redirectUrl, log }: Options): Oidc {
  let known: Promise<Configuration> | null = null

  /** Asked once; a provider that was away is asked again. */
  function provider(): Promise<Configuration> {
    known ??= discovery(new URL(issuer), clientId, undefined, showSecret(clientSecret), {
      timeout: PROVIDER_SECONDS_MAX,
      // A provider on a laptop may go without TLS; whoever set the address has decided that.
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    }).catch((error: unknown) => {
      known = null
      throw error
    })
    return known
  }

  async function orRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      log.warn({ err: withoutTokens(error) }, 'a sign-in by the provider failed')
      throw new AppError('sign_in_refused', 'Signing in at the provider did not work. Please try again.')
    }
  }

  return {
    start: () =>
      orRefuse(async () => {
        const departure = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
        const url = buildAuthorizationUrl(await provider(), {
          redirect_uri: redirectUrl,
          scope: SCOPE,
          state: departure.state,
          nonce: departure.nonce,
          code_challenge: await calculatePKCECodeChallenge(departure.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, departure }
      }),

    finish: (search, { state, nonce, verifier }) =>
      orRefuse(async () => {
        const configuration = await provider()
        const tokens = await authorizationCodeGrant(configuration, new URL(redirectUrl + search), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        // Some providers tell the address only there.
        const asked = claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        const told = asked ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: textOf(told['email']),
          isEmailVerified: told['email_verified'] === true,
          name: textOf(told['name']) ?? '',
        }
      }),
  }
}

/** In the way that the provider asks for; one that does not say takes it by Basic (OpenID Connect Discovery, 3). */
function showSecret(secret: string | null): ClientAuth {
  if (secret === null) return None()
  return (provider, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: ways = ['client_secret_basic'] } = provider
    const show = ways.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret)
    show(provider, client, body, headers)
  }
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}

/** What went wrong, without the answers of the provider that its errors carry along. */
function withoutTokens(error: unknown): { name: string; message: string; code?: unknown } {
  if (!(error instanceof Error)) return { name: 'unknown', message: '' }
  return { name: error.name, message: error.message, ...('code' in error && { code: error.code }) }
}
