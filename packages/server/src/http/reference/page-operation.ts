import { html } from 'hono/html'
import type { ApiDocument, DocumentedOperation, DocumentedResponse } from './openapi-document.ts'
import { inline, parameterFields, prose, typeOf, type Markup } from './page-fields.ts'
import { curlOf, sampleOf } from './page-sample.ts'

export type Entry = { method: string; path: string; operation: DocumentedOperation }

const JSON_TYPE = 'application/json'

/** Describes an operation, its parameters and its responses, with an example beside it. */
export function operationSection(document: ApiDocument, baseUrl: string, entry: Entry): Markup {
  const { method, path, operation } = entry
  const { operationId, summary, description, parameters, requestBody } = operation
  const body = requestBody?.content[JSON_TYPE]?.schema
  const responses = ownResponses(operation)
  return html`<section class="operation" id="${operationId}">
    <div>
      <h3><a href="#${operationId}">${summary}</a></h3>
      <p class="route">${badge(method)} <code>${path}</code></p>
      ${prose(description)}
      <p class="access">${accessOf(operation)}</p>
      ${
        parameters.length === 0
          ? ''
          : html`<h4>Parameters</h4>
              ${parameterFields(parameters)}`
      }
      ${
        body
          ? html`<h4>Body</h4>
              <p>${typeOf(body)} as JSON.</p>`
          : ''
      }
      <h4>Response</h4>
      ${responses.filter((given) => !isFailure(given)).map(responseLine)} ${failureList(responses)}
    </div>
    <div class="samples">
      ${sample('Request', curlOf(document, baseUrl, entry))} ${responseSample(document, responses[0]!)}
    </div>
  </section>`
}

export function badge(method: string): Markup {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`
}

export function sample(title: string, content: string | Markup): Markup {
  return html`<figure>
    <figcaption>${title}</figcaption>
    <pre tabindex="0">${content}</pre>
  </figure>`
}

export function jsonSample(title: string, value: unknown): Markup {
  return sample(title, JSON.stringify(value, null, 2))
}

type Response = DocumentedResponse & { status: string }

/** The error codes of these responses and when they occur. */
export function failureList(responses: Response[]): Markup | string {
  const failures = responses.flatMap(({ status, content }) =>
    Object.entries(content[JSON_TYPE]?.examples ?? {}).map(([code, { summary }]) => ({ status, code, summary })),
  )
  if (failures.length === 0) return ''
  return html`<h4>Errors</h4>
    <ul class="failures">
      ${failures.map(
        ({ status, code, summary }) =>
          html`<li><span class="status">${status}</span><code>${code}</code><span>${inline(summary)}</span></li>`,
      )}
    </ul>`
}

/** The responses that are not common to all operations. */
function ownResponses({ responses }: DocumentedOperation): Response[] {
  return Object.entries(responses).flatMap(([status, response]) =>
    'content' in response ? [{ ...response, status }] : [],
  )
}

function isFailure({ content }: Response): boolean {
  return content[JSON_TYPE]?.examples !== undefined
}

function responseLine({ status, description, content }: Response): Markup {
  const [type = ''] = Object.keys(content)
  return html`<p><span class="status ok">${status}</span> ${description} <span class="type">${type}</span></p>`
}

function responseSample(document: ApiDocument, { status, content }: Response): Markup | string {
  const [media] = Object.values(content)
  if (content[JSON_TYPE]) return jsonSample(`Response ${status}`, sampleOf(document, content[JSON_TYPE].schema))
  return media?.example === undefined ? '' : sample(`Response ${status}`, media.example)
}

function accessOf({ security }: DocumentedOperation): Markup {
  const [first] = security
  if (!first) return html`No key required`
  if ('webhookSecret' in first) return html`Requires the webhook secret`
  const scopes = security.flatMap(({ apiKey = [] }) => apiKey)
  if (scopes.length === 0) return html`Requires a key with any scope`
  return html`Requires a key with
  ${scopes.map((scope, index) => html`${index === 0 ? '' : ' or '}<code>${scope}</code>`)}`
}
