// A worker of a queue of orders, with the three outcomes of ../README.md. Needs Go 1.19 and amqp091-go 1.5 or newer.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

type outcome int

const (
	succeeded outcome = iota
	rejected
)

type order struct {
	ID        int    `json:"id"`
	Warehouse string `json:"warehouse"`
	Quantity  int    `json:"quantity"`
}

// OutOfStock says that there is less than was ordered.
type OutOfStock struct{ Order int }

func (e OutOfStock) Error() string { return fmt.Sprintf("no stock for order %d", e.Order) }

// handle does the work itself. The error that it returns is a failure, and so is a panic.
func handle(body []byte) (outcome, error) {
	var o order
	if err := json.Unmarshal(body, &o); err != nil {
		return 0, err
	}
	if o.Warehouse != env("WAREHOUSE", "north") {
		return rejected, nil // another worker's
	}
	if stock, _ := strconv.Atoi(env("STOCK", "10")); o.Quantity > stock {
		return 0, OutOfStock{o.ID}
	}
	return succeeded, nil
}

// panicked is an error with the stack of where it happened, which others of Go do not have.
type panicked struct {
	value any
	stack string
}

func (p panicked) Error() string { return fmt.Sprint(p.value) }

func handleSafely(body []byte) (result outcome, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = panicked{value, string(debug.Stack())}
		}
	}()
	return handle(body)
}

func onMessage(message amqp.Delivery) error {
	result, err := handleSafely(message.Body)
	if err != nil {
		report(message, err)
		return message.Reject(false)
	}
	if result == rejected {
		return message.Reject(true) // not Nack: see ../README.md
	}
	if err := message.Ack(false); err != nil {
		return err
	}
	if letter, ok := message.Headers["x-dlo-letter"].(string); ok {
		tell("/api/v1/letters/"+letter+"/processed", nil)
	}
	return nil
}

func report(message amqp.Delivery, err error) {
	tries, _ := message.Headers["x-delivery-count"].(int64)
	digest := sha256.Sum256(message.Body)
	host, _ := os.Hostname()
	told := map[string]any{
		"body_sha256":   hex.EncodeToString(digest[:]),
		"queue":         os.Getenv("QUEUE"),
		"error_class":   fmt.Sprintf("%T", err),
		"error_message": err.Error(),
		"circumstances": map[string]any{
			"attempts": tries + 1, "failed_at": time.Now().UTC(), "host": host, "process": "orders-worker",
		},
	}
	if message.MessageId != "" {
		told["message_id"] = message.MessageId
	}
	var p panicked
	if errors.As(err, &p) {
		told["stack_trace"] = p.stack
	}
	tell("/api/v1/error-reports", told)
}

var client = http.Client{Timeout: 2 * time.Second}

// tell tells the office. If that fails, the message is answered all the same.
func tell(path string, content any) {
	body, err := json.Marshal(content)
	if err != nil || content == nil {
		body = nil
	}
	request, err := http.NewRequest("POST", os.Getenv("DLO_URL")+path, bytes.NewReader(body))
	if err != nil {
		log.Printf("%s could not be told: %v", path, err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DLO_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		log.Printf("%s could not be told: %v", path, err)
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		why, _ := io.ReadAll(answer.Body)
		log.Printf("%s could not be told: %s", path, why)
	}
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	connection, err := amqp.Dial(os.Getenv("AMQP_URL"))
	if err != nil {
		log.Fatal(err)
	}
	channel, err := connection.Channel()
	if err != nil {
		log.Fatal(err)
	}
	if err := channel.Qos(10, 0, false); err != nil {
		log.Fatal(err)
	}
	messages, err := channel.Consume(os.Getenv("QUEUE"), "", false, false, false, false, nil)
	if err != nil {
		log.Fatal(err)
	}
	for message := range messages {
		if err := onMessage(message); err != nil {
			log.Fatal(err)
		}
	}
	log.Fatal("the broker closed the channel")
}
