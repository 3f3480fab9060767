// Contains common passwords: the list of @zxcvbn-ts/language-common, and passwords that are frequent in Tanzania.

/** Frequent passwords in lower case, including passwords that are frequent in Tanzania. */
const LOCAL_PASSWORDS =
  `12345678 123456789 1234567890 12345678910 0123456789 987654321 9876543210 87654321 11223344 1122334455 123123123
  12341234 123321123 12344321 11112222 12121212 123454321 147258369 159753456 159357456 741852963 789456123 789456123a
  password password1 password12 password123 password1234 password! p@ssword p@ssw0rd passw0rd pa55word pass1234
  pass12345 password1! password01 passwords mypassword newpassword yourpassword changeme changeme1 changeme123 changeit
  qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyqwerty 1qaz2wsx 1q2w3e4r 1q2w3e4r5t q1w2e3r4
  q1w2e3r4t5 qazwsxedc zxcvbnm1 zxcvbnm123 asdfghjk asdfghjkl asdf1234 asdfasdf poiuytrewq abcd1234 abcdefgh abcdefghi
  abc12345 abc123456 a1234567 a12345678 aa123456 aa12345678 a1b2c3d4 1a2b3c4d iloveyou iloveyou1 iloveyou2 ilovegod
  ilovejesus jesus123 jesuschrist godisgood godislove godbless blessing blessed1 sunshine sunshine1 princess princess1
  football football1 baseball basketball superman superman1 batman123 spiderman pokemon1 starwars whatever trustno1
  welcome1 welcome12 welcome123 welcome2024 welcome2025 welcome2026 letmein1 letmein123 administrator admin123 admin1234
  admin12345 adminadmin admin@123 root1234 test1234 testtest testing1 testing123 default1 guest123 user1234 computer
  internet samsung1 samsung123 liverpool liverpool1 chelsea1 chelsea123 arsenal1 arsenal123 manchester manutd123
  barcelona realmadrid ronaldo7 cristiano michelle jennifer jonathan benjamin victoria elizabeth charlotte alexander
  danielle monkey123 dragon123 master123 shadow123 killer123 hello123 hellohello happy123 freedom1 forever1 secret123
  lovelove mylove123 butterfly chocolate tanzania tanzania1 tanzania123 tanzania2025 tanzania2026 daressalaam dodoma123
  arusha123 mwanza123 zanzibar zanzibar1 kilimanjaro serengeti simba123 simbasports yanga123 youngafricans
  bongoflava mungunimwema munguibariki munguniwangu nakupenda nakupenda1 nakupendasana mpenzi123 mamamama mama1234
  babababa baba1234 karibu123 karibusana hakunamatata jambo123 asante123 asantesana habari123 siri1234 nenosiri
  nenosiri1 nenosiri123 mpesa123 mpesa1234 tigopesa airtel123 airtelmoney vodacom1 vodacom123 halopesa biashara
  biashara1 biashara123 dukalangu malipo123 malipo1234 hela1234 pesa1234 shilingi`.split(/\s+/)

let loaded: Promise<ReadonlySet<string>> | null = null

/** The smallest length of a password in the list, because another rule refuses shorter passwords. */
const LISTED_MIN = 8

/**
 * Returns the common passwords with at least 8 characters, in lower case. The first call loads the list, which takes about 0.1
 * seconds. Workers and most commands check no passwords, so no process loads the list at its start.
 */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const listed = dictionary['passwords-common'].filter((password) => password.length >= LISTED_MIN)
    return new Set([...LOCAL_PASSWORDS, ...listed.map((password) => password.toLowerCase())])
  })
  return loaded
}
