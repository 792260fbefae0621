import { serverPath } from '../base-path.ts'
import { Page, Panel } from '../ui/page.tsx'

/** Written in by the build. */
declare const MAILHATCH_VERSION: string

export function AboutPage() {
  return (
    <Page
      title="About"
      description="Mailhatch catches the mail your app sends and hands it to the test that waits for it."
    >
      <Panel>
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr] [&_dt]:text-quiet">
          <dt>Version</dt>
          <dd className="font-mono">{MAILHATCH_VERSION}</dd>
          <dt>API reference</dt>
          <dd>
            <a className="link" href={serverPath('/docs')}>
              {serverPath('/docs')}
            </a>
          </dd>
          <dt>OpenAPI document</dt>
          <dd>
            <a className="link" href={serverPath('/openapi.json')}>
              {serverPath('/openapi.json')}
            </a>
          </dd>
          <dt>Licence</dt>
          <dd>MIT</dd>
          <dt>Privacy</dt>
          <dd>This page and the server call nobody: no statistics, no update check, nothing from other hosts.</dd>
        </dl>
      </Panel>
    </Page>
  )
}
