import * as z from 'zod/mini'
import { fieldTypes } from '#contract/fields.ts'
import type { ImportMapping, ImportTarget } from '#contract/imports.ts'

/** A field of the organization's own, as far as a file may fill it. */
export const OwnField = z.object({
  key: z.string(),
  label: z.string(),
  type: z.enum(fieldTypes),
  options: z.array(z.string()),
})
export type OwnField = z.infer<typeof OwnField>

/** Headers as files have them, in the form of `comparable`. */
const spellings: Record<Exclude<ImportTarget, `field:${string}`>, string> = {
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
  role: 'role userrole rolle rol ruolo funcao papel roll',
  state: 'state status userstate zustand etat estado stato',
  groups:
    'group groups groupname groupnames team teams gruppe gruppen groupe groupes grupo grupos gruppo gruppi groep groepen gruppo grupper grupp',
}

const known = new Map(
  Object.entries(spellings).flatMap(([target, words]) => words.split(' ').map((word) => [word, target])),
)

/** Letters and digits only, without accents: `E-Mail Adresse` is `emailadresse`. */
export function comparable(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * What each column probably is. Fields of the organization's own come first: they are called as the organization calls them.
 * Nothing is named twice, and a first or last name gives way to a whole one.
 */
export function guessMapping(header: readonly string[], fields: readonly OwnField[]): ImportMapping {
  const own = new Map(
    fields.flatMap(({ key, label }) => [key, label].map((word) => [comparable(word), `field:${key}`])),
  )
  const mapping: ImportMapping = {}
  const used = new Set<string>()
  for (const [index, title] of header.entries()) {
    const word = comparable(title)
    const target = own.get(word) ?? known.get(word)
    if (target === undefined || used.has(target)) continue
    used.add(target)
    mapping[String(index)] = target
  }
  const isSplit = used.has('firstName') && used.has('lastName')
  // Where both are there, `Name` is what some languages call the last or the first one's neighbour; the whole name wins.
  if (used.has('name') && isSplit) return without(mapping, ['firstName', 'lastName'])
  return used.has('name') && used.has('firstName') ? renamed(mapping) : mapping
}

/** `Vorname; Name`: beside a first name, a name is the last one. */
function renamed(mapping: ImportMapping): ImportMapping {
  return Object.fromEntries(
    Object.entries(mapping).map(([index, target]) => [index, target === 'name' ? 'lastName' : target]),
  )
}

function without(mapping: ImportMapping, targets: readonly string[]): ImportMapping {
  return Object.fromEntries(Object.entries(mapping).filter(([, target]) => !targets.includes(target)))
}
