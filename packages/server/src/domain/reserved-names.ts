const GROUPS = {
  internetStandard: 'abuse admin administrator hostmaster mailer-daemon postmaster root webmaster',
  system: 'daemon system sys sysadmin devops ops noc it tech technical',
  executive: 'ceo cfo cto coo ciso president vp director manager executive leadership board founder owner',
  authority: 'irs fbi cia nsa government gov federal state police court',
  financeAndShipping: 'bank banking shipping delivery tracking',
  serviceAccounts:
    'no-reply noreply no_reply donotreply do-not-reply bounce bounces notifications notification alerts alert ' +
    'newsletter newsletters digest',
  support: 'support help helpdesk service contact info information inquiries inquiry feedback questions',
  sales: 'sales marketing business partner partners affiliate affiliates reseller',
  billing: 'billing finance accounting accounts payment payments payroll invoice invoices',
  legal: 'legal compliance privacy gdpr dpo terms dmca copyright',
  security: 'security spam phishing fraud cert csirt',
  development: 'api webhook webhooks developer dev staging test testing demo sandbox',
  humanResources: 'hr humanresources human-resources recruiting recruitment careers jobs hiring',
  organisation: 'team teams company official staff employee employees',
  generic: 'all everyone nobody default example sample mail email inbox outbox',
  temporary: 'temp temporary tmp trash junk qa',
  special: 'null undefined none unknown anonymous guest',
  news: 'news updates announcements press media pr',
  operations: 'operations deployment deploy release releases status uptime monitoring logs',
  future: 'reserved future coming-soon beta alpha',
  ourselves: 'mailhatch',
  technologyProviders: 'google gmail microsoft outlook yahoo apple icloud amazon aws',
  paymentPlatforms: 'paypal stripe venmo cashapp zelle',
  socialNetworks: 'facebook twitter x instagram linkedin youtube tiktok',
  shippingCarriers: 'fedex ups usps dhl',
}

/** Names that recipients would trust, or that mail standards define. Users cannot choose them. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(Object.values(GROUPS).flatMap((names) => names.split(' ')))

export function isReserved(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase())
}
