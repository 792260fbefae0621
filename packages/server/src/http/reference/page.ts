import { hash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { ApiDocument } from './openapi-document.ts'
import { prose, schemaFields, type Markup } from './page-fields.ts'
import { badge, failureList, jsonSample, operationSection, sample, type Entry } from './page-operation.ts'
import { sampleOf } from './page-sample.ts'
import { REFERENCE_STYLE } from './page-style.ts'

/** The page runs no scripts, loads nothing and cannot be framed. Its only style sheet is allowed by its hash. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', REFERENCE_STYLE, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0d7466"/>' +
    '<path d="M7 11h18v11H7zm0 0 9 7 9-7" fill="none" stroke="#fff" stroke-width="2"/></svg>',
)}`

/** Not escaped, because the hash must match. */
const STYLE = raw(`<style>${REFERENCE_STYLE}</style>`)

/** Reads come before writes. */
const METHODS = ['get', 'post', 'patch', 'delete']

type Group = { name: string; description: string; entries: Entry[] }

/** Renders the document as a web page. All texts are escaped. */
export async function renderReference(document: ApiDocument, baseUrl: string): Promise<string> {
  const { title, version } = document.info
  const groups = groupsOf(document)
  const contents = contentsOf(groups)
  const head = html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} API</title>
    <link rel="icon" href="${ICON}" />`
  const body = html`<a class="skip" href="#start">Skip to content</a>
    <aside>
      <p class="brand">${title} <span>API ${version}</span></p>
      <nav aria-label="Operations">${contents}</nav>
    </aside>
    <main>
      <details class="menu">
        <summary>${title} <span>API ${version}</span></summary>
        <nav aria-label="Operations">${contents}</nav>
      </details>
      ${introduction(document, baseUrl)} ${groups.map((group) => groupSections(document, baseUrl, group))}
      ${commonFailures(document)} ${shapes(document)}
    </main>`
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        ${head} ${STYLE}
      </head>
      <body>
        ${body}
      </body>
    </html>`
  return String(await page)
}

function groupsOf({ tags, paths }: ApiDocument): Group[] {
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Entry => ({ method, path, operation })),
  )
  entries.sort((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method))
  return tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
}

function contentsOf(groups: Group[]): Markup {
  return html`<a href="#start">Start</a>
    ${groups.map(
      ({ name, entries }) =>
        html`<h2>${name}</h2>
          ${entries.map(contentsLine)}`,
    )}
    <h2>Reference</h2>
    <a href="#failures">Common errors</a>
    <a href="#shapes">Schemas</a>`
}

function contentsLine({ method, path, operation }: Entry): Markup {
  return html`<a href="#${operation.operationId}"
    >${badge(method)}<span>${breakable(path.replace(/^\/v1/, ''))}</span></a
  >`
}

/** Lets a long path wrap at its slashes. */
function breakable(path: string): Markup[] {
  return path.split(/(?=\/)/).map((segment) => html`<wbr />${segment}`)
}

function introduction({ info, openapi, components }: ApiDocument, baseUrl: string): Markup {
  return html`<section class="operation" id="start">
    <div>
      <h1>${info.title} API</h1>
      ${prose(info.description)}
      ${Object.values(components.securitySchemes).map(({ description }) => prose(description))}
    </div>
    <div class="samples">
      ${sample('Base URL', baseUrl)}
      ${sample(`OpenAPI ${openapi}`, html`<a href="${baseUrl}/openapi.json">${baseUrl}/openapi.json</a>`)}
    </div>
  </section>`
}

function groupSections(document: ApiDocument, baseUrl: string, { name, description, entries }: Group): Markup {
  return html`<header>
      <h2>${name}</h2>
      <p>${description}</p>
    </header>
    ${entries.map((entry) => operationSection(document, baseUrl, entry))}`
}

function commonFailures(document: ApiDocument): Markup {
  const { responses, schemas } = document.components
  const all = Object.entries(responses).map(([code, response]) => ({ ...response, status: statusOf(document, code) }))
  return html`<section class="operation" id="failures">
    <div>
      <h2>Common errors</h2>
      <p>Every operation can also respond with these errors. <code>storage_full</code> occurs only on writes.</p>
      ${failureList(all)}
    </div>
    <div class="samples">${jsonSample('Error', sampleOf(document, schemas['Error']!))}</div>
  </section>`
}

/** The status under which operations refer to the response. */
function statusOf({ paths }: ApiDocument, name: string): string {
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if ('$ref' in response && response.$ref.endsWith(`/${name}`)) return status
    }
  }
  return ''
}

function shapes(document: ApiDocument): Markup {
  return html`<header id="shapes">
      <h2>Schemas</h2>
      <p>Every field is present unless it is marked optional.</p>
    </header>
    ${Object.entries(document.components.schemas).map(
      ([name, schema]) =>
        html`<section class="operation" id="${name}">
          <div>
            <h3><a href="#${name}">${name}</a></h3>
            ${prose(schema.description ?? '')} ${schemaFields(schema)}
          </div>
          <div class="samples">${jsonSample('Example', sampleOf(document, schema))}</div>
        </section>`,
    )}`
}
