it('signs up by code', () => {
  cy.visit('/')
  cy.inbox({ prefix: 'sign-up' }).then((inbox) => {
    cy.get('[name=email]').type(inbox.address)
    cy.contains('Sign up by code').click()
    cy.waitForEmail(inbox, { subject: 'Verify' }).then((mail) => {
      cy.get('[name=code]').type(mail.code)
      cy.contains('Continue').click()
    })
    cy.contains('h1', `Welcome, ${inbox.address}`)
    cy.waitForEmail(inbox, { subject: /receipt/i, hasAttachment: true })
    cy.expectNoEmail(inbox, { subject: 'Newsletter', within: 500 })
  })
})

it('signs up by link', () => {
  cy.visit('/')
  cy.inbox().then((inbox) => {
    cy.get('[name=email]').type(inbox.address)
    cy.contains('Sign up by link').click()
    cy.waitForEmail(inbox).then((mail) => cy.visit(mail.link))
    cy.contains('h1', `Welcome, ${inbox.address}`)
  })
})

it('invites a colleague', () => {
  cy.visit('/')
  cy.inbox({ aliases: ['colleague'] }).then((inbox) => {
    cy.get('[name=email]').type(inbox.aliases.colleague)
    cy.contains('Invite').click()
    cy.waitForEmail(inbox, { to: inbox.aliases.colleague }).its('subject').should('equal', 'You are invited')
  })
})
