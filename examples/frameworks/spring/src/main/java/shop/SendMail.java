// Spring Boot creates the sender from application.properties.
package shop;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;

@SpringBootApplication
public class SendMail {
    public static void main(String[] words) {
        SpringApplication.run(SendMail.class, words);
    }

    @Bean
    CommandLineRunner send(JavaMailSender sender) {
        return words -> {
            var mail = new SimpleMailMessage();
            mail.setFrom("app@shop.example");
            mail.setTo(words.length > 0 ? words[0] : "qa+signup@mailhatch.test");
            mail.setSubject("Your code is 482913");
            mail.setText("Your code is 482913.");
            sender.send(mail);
        };
    }
}
