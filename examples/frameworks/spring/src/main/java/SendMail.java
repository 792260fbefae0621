// Spring's JavaMailSender. Spring Boot creates one from spring.mail.host and spring.mail.port.
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;

public class SendMail {
    public static void main(String[] words) {
        var sender = new JavaMailSenderImpl();
        sender.setHost(System.getenv().getOrDefault("SMTP_HOST", "localhost"));
        sender.setPort(Integer.parseInt(System.getenv().getOrDefault("SMTP_PORT", "2525")));

        var mail = new SimpleMailMessage();
        mail.setFrom("app@shop.example");
        mail.setTo(words.length > 0 ? words[0] : "qa+signup@mailhatch.test");
        mail.setSubject("Your code is 482913");
        mail.setText("Your code is 482913.");
        sender.send(mail);
    }
}
