/** Sidebar, list and message; on a tablet without the sidebar, on a phone one of them at a time. */
export const COLUMNS =
  'grid h-full grid-cols-1 print:block print:h-auto md:grid-cols-[20rem_minmax(0,1fr)] lg:grid-cols-[13rem_22rem_minmax(0,1fr)]'
