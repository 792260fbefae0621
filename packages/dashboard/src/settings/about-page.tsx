import { serverPath } from '../base-path.ts'
import { Page, Panel } from '../ui/page.tsx'
import { ServerLink } from '../ui/server-link.tsx'

/** Set by the build. */
declare const MAILHATCH_VERSION: string

export function AboutPage() {
  return (
    <Page title="About" description="Mailhatch catches the mail your app sends and hands it to the waiting test.">
      <Panel>
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr] [&_dt]:text-quiet">
          <dt>Version</dt>
          <dd className="font-mono">{MAILHATCH_VERSION}</dd>
          <dt>API reference</dt>
          <dd>
            <ServerLink className="link" href={serverPath('/docs')}>
              {serverPath('/docs')}
            </ServerLink>
          </dd>
          <dt>OpenAPI document</dt>
          <dd>
            <ServerLink className="link" href={serverPath('/openapi.json')}>
              {serverPath('/openapi.json')}
            </ServerLink>
          </dd>
          <dt>Licence</dt>
          <dd>MIT</dd>
          <dt>Privacy</dt>
          <dd>Mailhatch sends no statistics, checks for no updates and loads nothing from other hosts.</dd>
        </dl>
      </Panel>
    </Page>
  )
}
