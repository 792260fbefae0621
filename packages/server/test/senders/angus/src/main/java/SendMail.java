import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.util.Properties;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;

/** Sends a mail once. Prints "sent", or the classes of the error and its causes with the code of the reply. */
public class SendMail {
    public static void main(String[] words) throws Exception {
        var settings = new Properties();
        settings.put("mail.smtp.host", "127.0.0.1");
        settings.put("mail.smtp.port", words[0]);
        settings.put("mail.smtp.localhost", "shop.test");
        settings.put("mail.smtp.timeout", words[3]);
        var mail = new MimeMessage(Session.getInstance(settings));
        mail.setFrom(new InternetAddress("app@shop.test"));
        mail.setRecipient(Message.RecipientType.TO, new InternetAddress(words[1]));
        mail.setSubject("Hello");
        mail.setText(("x".repeat(70) + "\n").repeat(Integer.parseInt(words[2]) / 71 + 1));
        try {
            Transport.send(mail);
            System.out.print("sent");
        } catch (MessagingException error) {
            System.out.print(describe(error));
        }
    }

    private static String describe(Exception error) {
        var name = error.getClass().getSimpleName();
        if (error instanceof SMTPAddressFailedException failed) return name + " " + failed.getReturnCode();
        var code = error instanceof SMTPSendFailedException failed ? " " + failed.getReturnCode() : "";
        var cause = error instanceof MessagingException chained ? chained.getNextException() : null;
        return name + code + (cause == null ? "" : " < " + describe(cause));
    }
}
