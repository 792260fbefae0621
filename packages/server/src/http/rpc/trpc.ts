// Everything that is used of tRPC. The build puts it into this one file, so that the published package does not depend on tRPC,
// whose peer dependency is the TypeScript compiler.
export { initTRPC, tracked, TRPCError } from '@trpc/server'
export { fetchRequestHandler } from '@trpc/server/adapters/fetch'
export { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
