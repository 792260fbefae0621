import { rewriteModules } from '../support/rewrite-modules.ts'

/** Preloaded into a program: it logs keys, and prints passwords of SMTP clients in every form that the search has to notice. */
rewriteModules({
  '/http/authenticate.ts': [
    ['const key = bearerToken(authorization)', 'const key = bearerToken(authorization)\n  console.error({ key })'],
  ],
  '/smtp/authentication.ts': [
    ['const response = decodeBase64(line)', 'const response = decodeBase64(line)\n  console.info(line)'],
    [
      'const isUser = isSameSecret(',
      `console.info(encodeURIComponent(given.password))
  console.info(JSON.stringify(given.password))
  const isUser = isSameSecret(`,
    ],
  ],
})
