import type { ErrorBody } from '@mailhatch/sdk'
import type { z } from 'zod'

// The parts of OpenAPI 3.1 that the document uses.

export type JsonSchema = z.core.JSONSchema.BaseSchema

export type Reference = { $ref: string }

export type DocumentedParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
  example: unknown
}

export type DocumentedMedia = {
  schema: JsonSchema
  /** For media types other than JSON. */
  example?: string
  examples?: Record<string, { summary: string; value: ErrorBody }>
}

export type DocumentedHeader = { description: string; required: boolean; schema: JsonSchema }

export type DocumentedResponse = {
  description: string
  headers: Record<string, Reference>
  content: Record<string, DocumentedMedia>
}

export type DocumentedOperation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  /** Alternatives, each with its scopes. One of them is enough. */
  security: Record<string, string[]>[]
  parameters: DocumentedParameter[]
  requestBody?: { required: true; content: Record<string, DocumentedMedia> }
  responses: Record<string, DocumentedResponse | Reference>
  'x-example-query'?: string
}

export type ApiDocument = {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, DocumentedHeader>
    responses: Record<string, DocumentedResponse>
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
  }
}
