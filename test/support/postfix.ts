import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate, PASSWORD, USER } from "./mail-server";
import { afterTest, temporaryFolder } from "./temporary";
import { freePort } from "./web-servers";

/** Debian installs servers in /usr/sbin, which may be missing in PATH. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

/** Postfix starts as root only. Its logins need sasl2-bin and libsasl2-modules. */
export const hasPostfix =
  process.getuid?.() === 0 && ["postfix", "saslpasswd2"].every((name) => existsSync(`/usr/sbin/${name}`));

/**
 * Starts a Postfix that demands STARTTLS and a login, and hands all mail on.
 * @param next port of the SMTP server that gets the mail
 * @returns its port, and the certificate of its authority
 */
export async function startPostfix(next: number): Promise<{ port: number; caFile: string }> {
  const folder = temporaryFolder("postfix");
  const port = freePort();
  const { key, cert, caFile } = await makeCertificate("127.0.0.1");
  for (const name of ["spool", "data", "sasl"]) mkdirSync(join(folder, name));
  for (const path of [join(folder, ".."), folder]) chmodSync(path, 0o755);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("key.pem", key);
  write("cert.pem", cert);
  write(
    "sasl/smtpd.conf",
    `pwcheck_method: auxprop
auxprop_plugin: sasldb
mech_list: PLAIN LOGIN
sasldb_path: ${folder}/sasl/sasldb2
`,
  );
  const [name = "", domain = ""] = USER.split("@");
  await run(["saslpasswd2", "-p", "-c", "-f", join(folder, "sasl/sasldb2"), "-u", domain, name], PASSWORD);
  write(
    "main.cf",
    `compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
myhostname = relay.test
mydestination =
mynetworks = 192.0.2.1/32
inet_interfaces = loopback-only
inet_protocols = ipv4
relayhost = [127.0.0.1]:${next}
smtp_tls_security_level = none
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_security_level = encrypt
smtpd_sasl_auth_enable = yes
smtpd_sasl_path = smtpd
cyrus_sasl_config_path = ${folder}/sasl
smtpd_relay_restrictions = permit_sasl_authenticated, reject
`,
  );
  write(
    "master.cf",
    `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n - 1 qmgr
rewrite unix - - n - - trivial-rewrite
defer unix - - n - 0 bounce
bounce unix - - n - 0 bounce
smtp unix - - n - - smtp
error unix - - n - - error
tlsmgr unix - - n - 1 tlsmgr
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`,
  );
  await run(["chown", "-R", "postfix", join(folder, "data"), join(folder, "sasl")]);
  await run(["postfix", "-c", folder, "start"]);
  afterTest(() => run(["postfix", "-c", folder, "stop"]));
  return { port, caFile };
}

async function run(command: string[], input = ""): Promise<void> {
  const child = Bun.spawn(command, { env, stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" });
  const says = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${says}`);
}
