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
import type { Log } from '../observe/log.ts'
import type { ProviderClaims } from './provider-sign-in.ts'

/** Timeout per request to the provider. */
const PROVIDER_SECONDS_MAX = 10
const SCOPE = 'openid email profile'

/** Kept by the browser between leaving for the provider and returning. */
export type PendingSignIn = { state: string; nonce: string; verifier: string }

export type Oidc = {
  start(): Promise<{ url: string; pending: PendingSignIn }>
  /** `search` is the query string of the redirect from the provider. */
  finish(search: string, pending: PendingSignIn): Promise<ProviderClaims>
}

type Options = {
  issuer: string
  clientId: string
  /** Null for a public client: then only the PKCE verifier proves who started the sign-in. */
  clientSecret: string | null
  redirectUrl: string
  log: Pick<Log, 'warn'>
}

/** Sign-in with any OpenID Connect provider: code flow with PKCE, state, nonce and signed ID tokens. */
export function createOidc({ issuer, clientId, clientSecret, redirectUrl, log }: Options): Oidc {
  let configuration: Promise<Configuration> | null = null

  /** Fetched once. After a failure, the next call tries again. */
  function provider(): Promise<Configuration> {
    configuration ??= discovery(new URL(issuer), clientId, undefined, clientAuth(clientSecret), {
      timeout: PROVIDER_SECONDS_MAX,
      // A local provider may have no TLS; the operator chose the URL.
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    }).catch((error: unknown) => {
      configuration = null
      throw error
    })
    return configuration
  }

  async function orRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      log.warn({ err: withoutTokens(error) }, 'a sign-in with the provider failed')
      throw new AppError('sign_in_refused', 'Signing in at the provider did not work. Please try again.')
    }
  }

  return {
    start: () =>
      orRefuse(async () => {
        const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
        const url = buildAuthorizationUrl(await provider(), {
          redirect_uri: redirectUrl,
          scope: SCOPE,
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, pending }
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
        // Some providers return the address only there.
        const needsUserInfo =
          claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        const profile = needsUserInfo ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: textOf(profile['email']),
          isEmailVerified: profile['email_verified'] === true,
          name: textOf(profile['name']) ?? '',
        }
      }),
  }
}

/** Uses the method that the provider asks for; the default is Basic (OpenID Connect Discovery, 3). */
function clientAuth(secret: string | null): ClientAuth {
  if (secret === null) return None()
  return (provider, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = provider
    const authenticate = methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret)
    authenticate(provider, client, body, headers)
  }
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}

/** The error without the provider's response, which may contain tokens. */
function withoutTokens(error: unknown): { name: string; message: string; code?: unknown } {
  if (!(error instanceof Error)) return { name: 'unknown', message: '' }
  return { name: error.name, message: error.message, ...('code' in error && { code: error.code }) }
}
