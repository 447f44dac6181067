import type { Language } from '#contract/platform/languages.ts'

const firstNames = {
  en: 'Ada Ahmed Aisha Alba Amir Ana Andrei Anja Anton Astrid Ben Bianca Bruno Carla Carlos Chiara Clara Daniel David Diana Elena Elias Elif Emil Emma Erik Esther Eva Fatima Felix Finn Frida Gabriel Greta Hannah Hassan Helena Hugo Ida Ines Irina Isaac Ivan Jakob Jana Javier Jonas Julia Karim Katya Klara Lara Laszlo Lea Leon Lina Luca Lucia Magda Malik Marco Maria Marta Mateo Maya Milan Mina Mira Nadia Nils Nina Noah Nora Olga Oscar Paula Pavel Petra Pia Rafael Rosa Samira Samuel Sara Sofia Stefan Tara Theo Tomas Vera Viktor Wanda Yara Yusuf Zoe'.split(
    ' ',
  ),
  de: 'Anneliese Björn Carsten Dörte Egon Franziska Günter Heike Ingo Jörg Käthe Lothar Margarete Norbert Oskar Petra Rüdiger Sabine Thorsten Ursula Volker Waltraud Antje Bärbel Christoph Dietmar Elfriede Friederike'.split(
    ' ',
  ),
} satisfies Record<Language, string[]>
const lastNames = {
  en: 'Abbott Adler Almeida Andersen Baker Bauer Becker Berg Bianchi Brandt Castro Costa Dahl Demir Diaz Dubois Eriksen Fischer Fontaine Garcia Gruber Haas Hansen Hoffmann Horvat Ibrahim Jansen Kaya Keller Klein Kovacs Kruger Larsen Lehmann Lopez Lund Maier Marino Martin Meyer Moreau Moretti Nagy Navarro Nilsen Novak Olsen Ortiz Papp Peters Popescu Ramos Reid Ricci Rossi Sanders Santos Schmidt Schulz Silva Simon Sorensen Steiner Toth Torres Varga Vogel Wagner Weber Weiss Winkler Wolf Yilmaz Zeller Zimmer'.split(
    ' ',
  ),
  de: 'Ackermann Böhm Conrad Dörr Eichhorn Frühauf Großmann Höfer Jäger Köhler Lindemann Möller Niemeyer Ostermann Pfeiffer Rößler Schäfer Tischler Uhlig Vogt Wäldner Zöllner'.split(
    ' ',
  ),
} satisfies Record<Language, string[]>

/** The n-th person: every pair of names comes once before any repeats. */
export function nameOf(language: Language, n: number): string {
  const [first, last] = [firstNames[language], lastNames[language]]
  return `${first[n % first.length] ?? ''} ${last[(n * 7 + Math.floor(n / first.length)) % last.length] ?? ''}`
}
