// Go's own net/smtp. It uses STARTTLS only if the server offers it, which Mailhatch does not by default.
package main

import (
	"cmp"
	"log"
	"net/smtp"
	"os"
)

func main() {
	server := cmp.Or(os.Getenv("SMTP_HOST"), "localhost") + ":" + cmp.Or(os.Getenv("SMTP_PORT"), "2525")
	to := "qa+signup@mailhatch.test"
	if len(os.Args) > 1 {
		to = os.Args[1]
	}
	message := "From: app@shop.example\r\nTo: " + to + "\r\nSubject: Your code is 482913\r\n\r\nYour code is 482913.\r\n"
	if err := smtp.SendMail(server, nil, "app@shop.example", []string{to}, []byte(message)); err != nil {
		log.Fatal(err)
	}
}
