import { expect, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { readSession } from '#contract/identity/auth.ts'
import { checkDomain, createDomain } from '#contract/identity/sign-in-domains.ts'
import { createConnection } from '#contract/identity/sso.ts'
import { openNameServer, type NameServer } from '#server/testing/mail/name-server.ts'
import { newAdmin, newOrganization, passphrase, type Client } from './client.ts'
import { axeFaults, press } from './console.ts'
import { openDatabase } from './database.ts'
import { startProduct, type Product } from './product.ts'
import { environmentFor, openCompanySignIn, type CompanySignIn } from './provider.ts'
import { test as base } from './shared.ts'

type World = { names: NameServer; contoso: CompanySignIn; fabrikam: CompanySignIn }

/** One installation, two companies that each have a sign-in of their own, and the DNS that both have. */
const test = base.extend<object, { shared: Product; world: World }>({
  world: [
    async ({}, use) => {
      const names = await openNameServer()
      const contoso = await openCompanySignIn()
      const fabrikam = await openCompanySignIn()
      await use({ names, contoso, fabrikam })
      await Promise.all([contoso, fabrikam, names].map((one) => one.close()))
    },
    { scope: 'worker' },
  ],
  shared: [
    async ({ world: { names, contoso, fabrikam } }, use) => {
      const product = await startProduct(environmentFor(names, [contoso, fabrikam]))
      await use(product)
      await product.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// The browser does not know the authority of the providers.
test.use({ ignoreHTTPSErrors: true })
/** Signs in at the provider's own page, as whom it knows by this name. */
async function signInThere(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('whatever it is')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}

/** A browser in which nobody is signed in. */
async function stranger(browser: Browser, product: Product): Promise<Page> {
  const context = await browser.newContext({ baseURL: product.url, ignoreHTTPSErrors: true })
  return (await offline(context)).newPage()
}

/** The page of the provider asks a stranger for letters, which no test needs. */
async function offline(context: BrowserContext): Promise<BrowserContext> {
  await context.route('https://fonts.googleapis.com/**', (route) => route.abort())
  return context
}

/** Types only an address on the sign-in page. */
async function begin(page: Page, address: string): Promise<void> {
  await page.goto('/auth-1/sign-in')
  await page.getByLabel('Email').fill(address)
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
  await page.keyboard.press('Enter')
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const trial = (page: Page) => page.getByRole('region', { name: 'Try it' })

/** Presses what opens a window of its own, and gives that. */
async function popup(page: Page, act: () => Promise<void>): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await act()
  return opened
}

test('from an empty installation to the first sign-in by the page alone', async ({
  browser,
  world: { contoso, fabrikam, names },
}) => {
  const product = await startProduct(environmentFor(names, [contoso, fabrikam]))
  const page = await stranger(browser, product)
  contoso.people.set('ada', {
    email: 'ada@contoso.example',
    name: 'Ada Lovelace',
    groups: ['video-admins', 'all'],
  })

  await test.step('somebody sets the installation up, and an organization', async () => {
    await page.goto(product.setupUrl ?? '')
    await page.getByLabel('Name', { exact: true }).fill('Sue Perior')
    await page.getByLabel('Email').fill('sue@example.test')
    await page.getByLabel('Password', { exact: true }).fill(passphrase)
    await page.getByLabel('The same again', { exact: true }).fill(passphrase)
    await press(page, 'Create account')
    await page.waitForURL('**/dashboard')
    await page.goto('/organizations/create')
    await page.getByLabel('Name', { exact: true }).fill('Contoso')
    await press(page, 'Add an organization')
    await page.waitForURL(/\/organizations\/[0-9a-f-]{36}/)
    const [orgId] = /[0-9a-f-]{36}/.exec(page.url()) ?? []
    await page.goto(`/organizations/${orgId}/edit`)
    await page.getByRole('link', { name: 'Connections, domains, and who has to' }).click()
  })

  await test.step('where there is none, the page says what it is for and what to do first', async () => {
    await expect(heading(page, 'Sign-in')).toBeVisible()
    await expect(page.getByText('Everybody signs in with a password')).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Set up a connection' }).click()
  })

  await test.step('what is missing is said at its field', async () => {
    await page.getByLabel('Name', { exact: true }).fill('Contoso')
    await page.getByLabel('Issuer').fill('contoso')
    await page.getByLabel('Client ID').fill(contoso.clientId)
    await press(page, 'Save and go on')
    await expect(page.getByText('This is not an address that begins with https://.').first()).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel('Issuer').fill(`${contoso.issuer}/elsewhere`)
    await page.getByLabel('Client secret').fill('not the secret')
    await press(page, 'Save and go on')
    await expect(heading(page, 'Contoso')).toBeVisible()
  })

  await test.step('a trial says in words what is wrong, one thing after the other', async () => {
    await press(page, 'Try it')
    await expect(trial(page)).toContainText('describes no sign-in there')
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel('Issuer').fill(contoso.issuer)
    await expect(page.getByText('Please type it again')).toBeVisible()
    await page.getByLabel('Client secret').fill('not the secret')
    await press(page, 'Save changes')
    await expect(page.getByText('Contoso was saved.')).toBeVisible()
    await expect(page.getByLabel('Client secret')).toHaveValue('')
    await press(page, 'Try it again')
    await expect(trial(page)).toContainText(/secret is not right|not with this secret/)
    await page.getByLabel('Client secret').fill(contoso.clientSecret)
    await press(page, 'Save changes')
    contoso.redirects.push((await page.locator('code', { hasText: '/callback' }).textContent()) ?? '')
    await press(page, 'Try it again')
    await expect(trial(page).getByRole('button', { name: 'Sign in for trial' })).toBeVisible()
  })

  await test.step('a sign-in for trial lets nobody in, and what came with it stands there', async () => {
    const opened = await popup(page, () => press(page, 'Sign in for trial'))
    await expect(trial(page)).toContainText('Waiting for the other window')
    await signInThere(opened, 'ada')
    await expect(trial(page).getByRole('row', { name: /groups/ })).toContainText('video-admins')
    expect(await axeFaults(page)).toEqual([])
  })

  await test.step('a claim becomes a rule, and the page shows what it would give', async () => {
    await page.getByRole('button', { name: 'Make a rule of groups: video-admins' }).click()
    await page.getByRole('group', { name: 'Rule 1' }).getByLabel('give the role').selectOption('admin')
    await page.getByLabel('Create people at their first sign-in').check()
    await expect(page.getByRole('region', { name: 'What the rules give' })).toContainText('Administrator')
    await press(page, 'Save changes')
    await expect(page.getByText('Contoso was saved.')).toBeVisible()
  })

  await test.step('a domain is proved by a record of the DNS', async () => {
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Sign-in' }).click()
    await page.getByRole('textbox', { name: 'Domain' }).fill('contoso.example')
    await press(page, 'Add the domain')
    const domain = page.getByRole('group', { name: 'contoso.example' })
    await domain.getByRole('button', { name: 'Check now' }).click()
    await expect(domain).toContainText('There is no such record yet.')
    expect(await axeFaults(page)).toEqual([])
    const value = (await domain.locator('code').textContent()) ?? ''
    const name = (await domain.locator('dd').nth(1).textContent()) ?? ''
    names.zone[name] = [value]
    await domain.getByRole('button', { name: 'Check now' }).click()
    await expect(domain).toContainText('Proved')
  })

  await test.step('whoever types an address of it is led to the provider, and is in', async () => {
    const ada = await stranger(browser, product)
    await begin(ada, 'ada@contoso.example')
    await signInThere(ada, 'ada')
    await ada.waitForURL('**/dashboard')
    await ada.goto('/settings?tab=sessions')
    await expect(ada.getByRole('list', { name: 'Sessions' })).toContainText('by Contoso')
    await ada.goto('/settings')
    await expect(ada.getByRole('region', { name: 'How you sign in' })).toContainText('Contoso')
    await ada.context().close()
    await page.reload()
    await expect(page.getByRole('list', { name: 'Sign-in connections' })).toContainText(
      '1 person signs in by it',
    )
  })

  await test.step('administrators see by what somebody signs in', async () => {
    await page
      .getByRole('list', { name: 'Sign-in connections' })
      .getByRole('link', { name: 'Contoso' })
      .click()
    await page.getByRole('link', { name: 'Ada Lovelace' }).click()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    const signIn = page.getByRole('region', { name: 'Sign-in' })
    await expect(signIn).toContainText('Ada Lovelace signs in by Contoso.')
  })
  await page.context().close()
  await product.stop()
})

type Company = { client: Client; orgId: string; connectionId: string; domain: string }

/** An organization whose people sign in at this provider, and whose domain is proved. */
async function companyAt(
  product: Product,
  { names }: Pick<World, 'names'>,
  { provider, domain, creates = true }: { provider: CompanySignIn; domain: string; creates?: boolean },
): Promise<Company> {
  const { client, orgId } = await newOrganization(product, domain)
  const { issuer, clientId, clientSecret } = provider
  const params = { orgId }
  const { id, redirectUrl } = await client.call(createConnection, {
    params,
    body: {
      kind: 'oidc',
      name: `Account of ${domain}`,
      issuer,
      clientId,
      clientSecret,
      creates,
      rules: [{ claim: 'groups', value: 'video-admins', role: 'admin', groupId: null }],
    },
  })
  provider.redirects.push(redirectUrl)
  const { id: domainId, record } = await client.call(createDomain, { params, body: { domain } })
  names.zone[record.name] = [record.value]
  await client.call(checkDomain, { params: { orgId, domainId }, body: {} })
  return { client, orgId, connectionId: id, domain }
}

/** Somebody of the company has signed in by it, in a browser of their own. */
async function enter(
  browser: Browser,
  product: Product,
  { provider, email }: { provider: CompanySignIn; email: string },
) {
  provider.people.set(email, { email, name: 'Ada Lovelace', groups: ['video-admins'] })
  const page = await stranger(browser, product)
  await begin(page, email)
  await signInThere(page, email)
  await page.waitForURL('**/dashboard')
  return page
}

test('a locked session and a question for proof are answered at the provider, and nothing that was typed is lost', async ({
  browser,
  shared: product,
  world,
}) => {
  const domain = 'locked.example'
  const { orgId } = await companyAt(product, world, { provider: world.contoso, domain })
  const page = await enter(browser, product, { provider: world.contoso, email: `ada@${domain}` })
  const database = await openDatabase(product)

  await test.step('the lock opens at the provider, where one was', async () => {
    await page.goto('/settings?tab=sessions')
    await press(page, 'Lock this one')
    await page.waitForURL('**/auth-1/lock-screen**')
    await expect(page.getByRole('button', { name: `Unlock with Account of ${domain}` })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await press(page, `Unlock with Account of ${domain}`)
    await signInThere(page, `ada@${domain}`)
    await page.waitForURL('**/settings?tab=sessions')
    await expect(page.getByRole('list', { name: 'Sessions' })).toContainText(`by Account of ${domain}`)
  })

  await test.step('the question for proof opens a window of its own', async () => {
    await page.goto(`/organizations/${orgId}/sign-in`)
    await page.getByRole('textbox', { name: 'Domain' }).fill('typed.example')
    await database.query(`update sessions set reauthenticated_at = now() - interval '11 minutes'`)
    await page.getByRole('group', { name: domain }).getByRole('button', { name: 'Check now' }).click()
    const proof = page.getByRole('dialog', { name: 'Please confirm that it is you' })
    await expect(proof.getByRole('button', { name: `Confirm with Account of ${domain}` })).toBeFocused()
    expect(await axeFaults(page)).toEqual([])
    const opened = await popup(page, () => page.keyboard.press('Enter'))
    await signInThere(opened, `ada@${domain}`)
    await expect(proof).toBeHidden()
    await expect(page.getByRole('textbox', { name: 'Domain' })).toHaveValue('typed.example')
    await expect(page.getByRole('group', { name: domain })).toContainText('The record is there.')
  })
  await database.close()
  await page.context().close()
})

test('each refused sign-in says what to do, and two companies never meet', async ({
  browser,
  shared: product,
  world,
}) => {
  const { contoso, fabrikam } = world
  const domain = 'refused.example'
  await companyAt(product, world, { provider: contoso, domain, creates: false })
  await companyAt(product, world, { provider: fabrikam, domain: 'other.example' })
  const refused: [
    address: string,
    says: { email: string; email_verified?: boolean; groups?: string[] },
    words: string,
  ][] = [
    [`unknown@${domain}`, { email: `unknown@${domain}` }, 'Nobody has created an account for your address'],
    [
      `unverified@${domain}`,
      { email: `unverified@${domain}`, email_verified: false },
      'has not verified your address',
    ],
    ['thief@other.example', { email: `ada@${domain}` }, 'not of a domain that your organization has proved'],
    [
      'plain@other.example',
      { email: 'plain@other.example' },
      'Nobody has created an account for your address',
    ],
  ]
  for (const [address, says, words] of refused) {
    const provider = address.endsWith('other.example') ? fabrikam : contoso
    provider.people.set(address, { name: 'Some Body', ...says })
    const page = await stranger(browser, product)
    await begin(page, address)
    await signInThere(page, address)
    await expect(heading(page, 'You were not signed in')).toBeVisible()
    await expect(page.getByRole('alert')).toContainText(words)
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await expect(heading(page, 'Sign in')).toBeVisible()
    await page.context().close()
  }
})

test('where it is required, passwords are refused but for the administrator who is named', async ({
  open,
  browser,
  shared: product,
  world,
}) => {
  const domain = 'required.example'
  const { client, orgId } = await companyAt(product, world, { provider: world.contoso, domain })
  const named = await newAdmin(product, client, { orgId, name: 'Emer Gency' })
  const other = await newAdmin(product, client, { orgId, name: 'Olga Other' })
  const { email: namedEmail } = (await named.call(readSession)).user
  const { email: otherEmail } = (await other.call(readSession)).user
  const page = await open(client)
  await page.goto(`/organizations/${orgId}/sign-in`)
  await page.getByRole('radio', { name: 'With a connection only' }).check()
  await press(page, 'Save changes')
  await expect(page.getByText('Please fill this in.').first()).toBeVisible()
  await page.getByLabel('Administrator for an emergency').selectOption({ label: `Emer Gency, ${namedEmail}` })
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Save changes')
  await expect(page.getByText('How people sign in was saved.')).toBeVisible()
  await expect(other.call(readSession)).rejects.toThrow('401')

  const somebody = await stranger(browser, product)
  const signIn = async (email: string) => {
    await somebody.goto('/auth-1/sign-in')
    await somebody.getByLabel('Email').fill(email)
    await somebody.getByLabel('Password', { exact: true }).fill(passphrase)
    await press(somebody, 'Sign in')
  }
  await signIn(otherEmail)
  await expect(somebody.getByRole('alert')).toBeVisible()
  await signIn(namedEmail)
  await somebody.waitForURL('**/dashboard')
  await somebody.context().close()

  await page.goto('/settings?tab=audit')
  await expect(page.getByRole('main')).toContainText('Emer Gency signed in past the company’s own sign-in')
  await page.goto(`/organizations/${orgId}/sign-in`)
  await page.getByRole('link', { name: `Account of ${domain}` }).click()
  await press(page, 'Remove the connection')
  await expect(page.getByRole('dialog')).toContainText('Nobody has signed in by it.')
})

test('an address of a domain that nobody claims is asked for its password without a word to the server', async ({
  page,
  shared: product,
}) => {
  await page.goto(`${product.url}/auth-1/sign-in`)
  await page.getByLabel('Email').fill('somebody@unclaimed.example')
  await page.keyboard.press('Tab')
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await press(page, 'Sign in')
  await page.waitForURL('**/auth-1/login-password')
  expect(asked.filter((url) => url.includes('/api/'))).toEqual([])
})
