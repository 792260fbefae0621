/** Of every response. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // Pages of other sites cannot use it as an image or script, even if the browser does not say who asks.
  'cross-origin-resource-policy': 'same-origin',
}
