import { z } from 'zod'

// MCP clients time out after a minute.
export const WAIT_SECONDS_MAX = 50
// Some proxies close connections after half a minute.
export const WAIT_SECONDS_DEFAULT = 25
export const FILTER_LENGTH_MAX = 300

export const address = z.string().min(1).max(FILTER_LENGTH_MAX).describe('A full address, `qa+tag` or `qa`.')
export const id = z.string().max(100).describe('The id of an email.')
export const needle = z.string().min(1).max(FILTER_LENGTH_MAX)
