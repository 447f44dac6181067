import { expect, test } from 'vitest'
import { guessMapping } from './columns.ts'

const own = [{ key: 'cost_centre', label: 'Cost centre', type: 'text' as const, options: [] }]
const guess = (header: string) => Object.values(guessMapping(header.split(','), own))

test.each([
  ['Name,E-mail,Phone number,Employee ID', ['name', 'email', 'phone', 'externalId']],
  ['First Name,Last Name,Work Email,Role,Status', ['firstName', 'lastName', 'email', 'role', 'state']],
  ['Vorname,Name,E-Mail-Adresse,Personal-Nr.', ['firstName', 'lastName', 'email', 'externalId']],
  ['Prénom,Nom,Courriel,Matricule,Groupes', ['firstName', 'lastName', 'email', 'externalId', 'groups']],
  ['Nombre,Apellidos,Correo electrónico,Teléfono', ['firstName', 'lastName', 'email', 'phone']],
  ['Nome,Cognome,Indirizzo e-mail,Matricola', ['firstName', 'lastName', 'email', 'externalId']],
  ['Voornaam,Achternaam,E-mailadres,Personeelsnummer', ['firstName', 'lastName', 'email', 'externalId']],
  ['Förnamn,Efternamn,E-post,Grupper', ['firstName', 'lastName', 'email', 'groups']],
  ['COST CENTRE,cost_centre,email', ['field:cost_centre', 'email']],
  ['Full name,First name,Last name,Mail', ['name', 'email']],
  ['Email,E-Mail,Notes,Problem', ['email']],
  [
    'Name,Email,Phone,External ID,Role,State,Groups',
    ['name', 'email', 'phone', 'externalId', 'role', 'state', 'groups'],
  ],
])('%s', (header, targets) => {
  expect(guess(header)).toEqual(targets)
})
