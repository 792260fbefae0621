import { Suspense } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { queries } from './api/queries.ts'
import type { Outputs } from './api/trpc.ts'
import { InboxPage } from './inbox/inbox-page.tsx'
import { lazyPart } from './lazy-part.ts'
import { SessionProvider } from './session.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { Shell } from './shell/shell.tsx'
import { Loaded, Loading } from './ui/loaded.tsx'

// Most visits only need the inbox; the other pages load on demand.
const SignInPage = lazyPart(() => import('./account/sign-in-page.tsx'))
const SignUpPage = lazyPart(() => import('./account/sign-up-page.tsx'))
const ResetPage = lazyPart(() => import('./account/reset-page.tsx'))
const CheckPage = lazyPart(() => import('./account/check-page.tsx'))
const InvitePage = lazyPart(() => import('./account/invite-page.tsx'))
const WelcomePage = lazyPart(() => import('./account/welcome-page.tsx'))
const OtherAddressesPage = lazyPart(() => import('./other-addresses/other-addresses-page.tsx'))
const SettingsPages = lazyPart(() => import('./settings/settings-pages.tsx'))

export function App() {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/sign-in" component={SignInPage} />
        <Route path="/sign-up" component={SignUpPage} />
        <Route path="/reset" component={ResetPage} />
        <Route path="/check" component={CheckPage} />
        <Route>
          <Loaded query={queries.me}>{(me) => (me ? <SignedIn me={me} /> : <ToSignIn />)}</Loaded>
        </Route>
      </Switch>
    </Suspense>
  )
}

/** Redirects to sign-in, which returns to this page afterwards. */
function ToSignIn() {
  const [path] = useLocation()
  const search = useSearch()
  const invite = path === '/teams' && new URLSearchParams(search).get('invite')
  if (invite) return <Redirect to={`/sign-up?invite=${encodeURIComponent(invite)}`} replace />
  const next = path === '/' && search === '' ? '' : `?next=${encodeURIComponent(search ? `${path}?${search}` : path)}`
  return <Redirect to={`/sign-in${next}`} replace />
}

function SignedIn({ me }: { me: NonNullable<Outputs['user']['me']> }) {
  return (
    <Switch>
      <Route path="/teams" component={InvitePage} />
      <Route>{me.team ? <Member me={me} /> : <WelcomePage />}</Route>
    </Switch>
  )
}

function Member({ me }: { me: NonNullable<Outputs['user']['me']> }) {
  return (
    <Loaded query={queries.team}>
      {(team) =>
        team ? (
          <SessionProvider value={{ me, team }}>
            <Shell>
              <Suspense fallback={<Loading />}>
                <Pages />
              </Suspense>
            </Shell>
          </SessionProvider>
        ) : (
          <WelcomePage />
        )
      }
    </Loaded>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/" component={InboxPage} />
      <Route path="/m/:id" component={InboxPage} />
      <Route path="/a/:address" component={InboxPage} />
      <Route path="/other" component={OtherAddressesPage} />
      <Route path="/other/:id" component={OtherAddressesPage} />
      <Route path="/settings/*?" component={SettingsPages} />
      <Route component={NotFoundPage} />
    </Switch>
  )
}
