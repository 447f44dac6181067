import * as z from 'zod/mini'
import type { ImportReason } from '#contract/imports/import-reasons.ts'
import type { ImportTarget } from '#contract/imports/imports.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import { asRole } from '#contract/roles.ts'
import { Email, User } from '#contract/directory/users.ts'
import { isPlaceZone } from '../directory/users/time-zone.ts'
import { inOneLine, isOneLine } from '#contract/platform/text/text.ts'

/** Fields of a person that a file may fill, in the order in which people read what changes. */
const ImportedFields = z.pick(User, {
  name: true,
  email: true,
  phone: true,
  externalId: true,
  language: true,
  timeZone: true,
  manager: true,
  role: true,
  state: true,
})
export type ImportedFields = z.infer<typeof ImportedFields>
type Field = keyof ImportedFields

/** A person as far as a file may fill them; `custom`: fields of the organization's own, by key. */
export const PersonData = z.extend(ImportedFields, { custom: z.record(z.string(), z.string()) })
export type PersonData = z.infer<typeof PersonData>

/** What the headings of files call it, each word in the form of `comparable`. */
export const spellings: Record<Exclude<ImportTarget, `field:${string}`>, string> = {
  name: 'name fullname displayname person nameofperson vollername vollstandigername anzeigename nomcomplet nometprenom nombrecompleto nombreyapellidos nomecompleto nomeecognome volledigenaam naam navn namn imieinazwisko',
  firstName:
    'firstname givenname forename vorname prenom nombre nome voornaam fornavn fornamn imie christianname rufname',
  lastName:
    'lastname surname familyname nachname familienname nom nomdefamille apellido apellidos cognome sobrenome achternaam etternavn efternavn efternamn nazwisko',
  email:
    'email emailaddress emailadress mail mailaddress emailadresse mailadresse adressemail adresseemail courriel correo correoelectronico correoe indirizzoemail enderecodeemail emailadres epost epostadress epostadresse adresemail workemail businessemail primaryemail userprincipalname',
  phone:
    'phone phonenumber telephone telephonenumber mobile mobilephone mobilenumber cell cellphone tel telefon telefonnummer handy mobil mobilnummer rufnummer telefono telefone numerodetelephone portable movil celular cellulare telemovel telefoon telefoonnummer mobiel',
  externalId:
    'externalid extid staffnumber staffno staffid employeenumber employeeno employeeid empid personnelno personnelnumber personnelid payrollnumber payrollid workerid userid personid memberid studentid matriculationnumber personalnummer personalnr persnr mitarbeiternummer mitarbeiterid mitarbeiternr matricule numeroemploye iddelempleado idempleado numerodeempleado matricola matricula personeelsnummer ansattnummer anstallningsnummer numerpracownika externeid externekennung',
  language:
    'language lang locale preferredlanguage sprache bevorzugtesprache langue idioma lingua taal sprak sprog jezyk',
  timeZone:
    'timezone tz zone zeitzone fuseauhoraire zonahoraria fusoorario tijdzone tidssone tidzon strefaczasowa',
  manager:
    'manager manageremail managerid linemanager supervisor supervisoremail reportsto boss vorgesetzter vorgesetzte fuhrungskraft superieur superieurhierarchique jefe superiore leidinggevende narmesteleder narmastechef przelozony',
  role: 'role userrole rolle rol ruolo funcao papel roll',
  state: 'state status userstate zustand etat estado stato',
  groups:
    'group groups groupname groupnames team teams gruppe gruppen groupe groupes grupo grupos gruppo gruppi groep groepen gruppo grupper grupp',
}

/** The cells of one row, by what their columns are. */
export type Cells = {
  /** Undefined for an empty cell, too. */
  of: (target: ImportTarget) => string | undefined
  /** Whether an empty cell says that there is no such value any more. */
  clears: (target: ImportTarget) => boolean
}

/** Names what is wrong with a row. */
export type Fault = (reason: ImportReason, about?: string) => void

/** Undefined: the row says nothing about it. */
type Reader<T> = (cells: Cells, fault: Fault) => T | undefined

const readers: { [K in Field]: Reader<ImportedFields[K]> } = {
  name: readName,
  email: readEmail,
  phone: textOf('phone', 50, 'phone_too_long'),
  externalId: textOf('externalId', 200, 'external_id_too_long'),
  language: readLanguage,
  timeZone: readTimeZone,
  manager: textOf('manager', 320, 'manager_too_long'),
  role: readRole,
  state: readState,
}

/** What somebody is of whom a file says nothing. */
export const nobody: ImportedFields = {
  name: '',
  email: '',
  phone: null,
  externalId: null,
  language: null,
  timeZone: null,
  manager: null,
  role: null,
  state: 'active',
}

export const importedFields = Object.keys(readers) as Field[]

/** A role is given to new people only, and never changed by a file. */
export const changeableFields = importedFields.filter((field) => field !== 'role')

/** Only the fields about which the row says something. */
export function readImportedFields(cells: Cells, fault: Fault): Partial<ImportedFields> {
  const read = importedFields.map((field) => [field, readers[field](cells, fault)] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

/** A person as the audit log has them. */
export function auditedFacts(person: PersonData) {
  const { custom, ...fields } = PersonData.parse(person)
  return { ...fields, customFields: custom }
}

/** A text as the form of a person takes it; what the form would refuse, in one line. */
export const lineOf = (cell: string): string => (isOneLine(cell.trim()) ? cell.trim() : inOneLine(cell))

function readName({ of }: Cells, fault: Fault): string | undefined {
  const parts = of('name') ?? [of('firstName'), of('lastName')].filter(Boolean).join(' ')
  const name = lineOf(parts)
  if (name.length > 200) fault('name_too_long')
  return name || undefined
}

function readEmail({ of }: Cells, fault: Fault): string | undefined {
  const given = of('email')?.replace(/^mailto:/i, '')
  if (given === undefined) return undefined
  const read = z.safeParse(Email, given)
  if (!read.success) fault('invalid_email', given)
  return read.success ? read.data : undefined
}

function textOf(target: ImportTarget, most: number, tooLong: ImportReason): Reader<string | null> {
  return ({ of, clears }, fault) => {
    const text = lineOf(of(target) ?? '')
    if (text === '') return clears(target) ? null : undefined
    if (text.length <= most) return text
    fault(tooLong)
    return undefined
  }
}

/** By its tag, also that of a country, or by its name in one of the languages. */
function readLanguage({ of, clears }: Cells, fault: Fault): Language | null | undefined {
  const given = of('language')
  if (given === undefined) return clears('language') ? null : undefined
  const asked = given.toLowerCase()
  const found = languages.find((one) => asked.split(/[-_]/)[0] === one || namesOf[one].has(asked))
  if (!found) fault('unknown_language', given)
  return found
}

/** By its name, in whatever letters. */
function readTimeZone({ of, clears }: Cells, fault: Fault): string | null | undefined {
  const given = of('timeZone')
  if (given === undefined) return clears('timeZone') ? null : undefined
  const name = given
    .toLowerCase()
    .replaceAll(' ', '_')
    .replaceAll(/(^|[/_-])([a-z])/g, (letters) => letters.toUpperCase())
  const found = [given, name, name.toUpperCase()].find(isPlaceZone)
  if (found === undefined) fault('unknown_time_zone', given)
  return found
}

const namesIn = (one: Language) =>
  new Set(languages.map((by) => new Intl.DisplayNames([by], { type: 'language' }).of(one)?.toLowerCase()))
const namesOf: Record<Language, ReadonlySet<string | undefined>> = { en: namesIn('en'), de: namesIn('de') }

/** What people call somebody without a role. */
const noRole = new Set(['none', 'recipient', 'user', 'member', '-', '–', 'no role'])
const roleLabels: Record<string, string> = {
  administrator: 'admin',
  'group administrator': 'groupadmin',
  'group admin': 'groupadmin',
}

function readRole({ of }: Cells, fault: Fault): 'admin' | 'groupadmin' | null | undefined {
  const given = of('role')?.toLowerCase()
  if (given === undefined) return undefined
  if (noRole.has(given)) return null
  const role = asRole(roleLabels[given] ?? given)
  if (role === 'superadmin') fault('role_not_allowed', given)
  else if (role === null) fault('unknown_role', given)
  return role === 'superadmin' || role === null ? undefined : role
}

const stateLabels: Record<string, 'active' | 'disabled' | undefined> = {
  active: 'active',
  enabled: 'active',
  disabled: 'disabled',
  inactive: 'disabled',
  blocked: 'disabled',
}

/** `invited` is what an export says of people who have not accepted yet; it asks for nothing. */
function readState({ of }: Cells, fault: Fault): 'active' | 'disabled' | undefined {
  const given = of('state')?.toLowerCase()
  if (given === undefined || given === 'invited') return undefined
  const state = Object.hasOwn(stateLabels, given) ? stateLabels[given] : undefined
  if (!state) fault('unknown_state', given)
  return state
}
