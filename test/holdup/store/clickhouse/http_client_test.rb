# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Clickhouse::HttpClientTest < Minitest::Test
  HttpClient = Holdup::Store::Clickhouse::HttpClient
  Errors = Holdup::Store::ServerErrors
  StoreError = Holdup::StoreError
  LOCATION = "clickhouse://u:***@host:8123/db"

  def test_what_a_server_answers_is_said_in_the_words_of_all_stores
    no_space =
      "Code: 75, e.displayText() = DB::Exception: Cannot write, errno: 28, strerror: No space left on device"
    {
      Errors::LoginRefused => [
        "Code: 193, e.displayText() = DB::Exception: Wrong password for user u, e.what() = x",
        "Code: 516. DB::Exception: u: Authentication failed. (AUTHENTICATION_FAILED) (version 24.8)"
      ],
      Errors::NoDatabase => ["Code: 81, e.displayText() = DB::Exception: Database db doesn't exist"],
      Errors::Unreachable => ["Code: 209. DB::Exception: Timeout exceeded", "<html>500 Error</html>"],
      Errors::LimitReached => [
        "Code: 252, e.displayText() = DB::Exception: Too many parts (300).",
        "Code: 201. DB::Exception: Quota for user `u` has been exceeded (QUOTA_EXCEEDED)",
        "Code: 62, e.displayText() = DB::Exception: Max query size exceeded"
      ],
      Errors::TimeLimit => ["Code: 159. DB::Exception: Timeout exceeded: elapsed 5.1 seconds, maximum: 5"],
      Errors::NoConnection => ["Code: 202. DB::Exception: Too many simultaneous queries. Maximum: 100"],
      Errors::Cancelled => ["Code: 394. DB::Exception: Query was cancelled"],
      Errors::Starting => ["Code: 236. DB::Exception: Server shutdown is called"],
      Errors::NotMigrated => ["Code: 60, e.displayText() = DB::Exception: Table db.commits doesn't exist."],
      Errors::Denied => [
        "Code: 164, e.displayText() = DB::Exception: Cannot insert into table in readonly mode",
        "Code: 497. DB::Exception: u: Not enough privileges. (ACCESS_DENIED)"
      ],
      Errors::OutOfMemory => [
        "Code: 241, e.displayText() = DB::Exception: Memory limit (for query) exceeded: would use 968.35 MiB"
      ],
      Errors::ReadOnly => ["Code: 242. DB::Exception: Table is in readonly mode (TABLE_IS_READ_ONLY)"],
      Errors::Full => ["Code: 243, e.displayText() = DB::Exception: Not enough space", no_space],
      Errors::Corrupt => ["Code: 40. DB::Exception: Checksum doesn't match: corrupted data"],
      Errors::Unexpected => [
        "Code: 62, e.displayText() = DB::Exception: Syntax error", "Code: 47. DB::Exception: x"
      ]
    }.each do |kind, texts|
      texts.each do |text|
        assert_instance_of kind, HttpClient::Faults.of(text, location: LOCATION, status: "500"), text
      end
    end
  end

  def test_the_reason_is_one_sentence_without_the_statement
    text = <<~TEXT.chomp
      Code: 193, e.displayText() = DB::Exception: Wrong password for user u, e.what() = DB::Exception
      more
    TEXT
    error = HttpClient::Faults.of(text, location: LOCATION, status: "500")
    assert_match(/\(Wrong password for user u\); check the user and password/, error.message)
    error = HttpClient::Faults.of("<html>", location: LOCATION, status: "502")
    assert_match(/\(HTTP status 502\)/, error.message)
  end

  def test_a_proxy_before_the_server_has_its_status
    {"401" => Errors::LoginRefused, "413" => Errors::LimitReached, "429" => Errors::NoConnection,
     "502" => Errors::ConnectionLost, "503" => Errors::ConnectionLost, "504" => Errors::ConnectionLost,
     "500" => Errors::Unreachable, "404" => Errors::Unreachable}.each do |status, kind|
      error = HttpClient::Faults.of("<html>", location: LOCATION, status:)
      assert_instance_of kind, error, status
      assert_includes error.message, "(HTTP status #{status})"
    end
  end

  # A proxy that is not ready at first.
  def test_asks_again_and_writes_once
    answers = ["502 Bad Gateway", "429 Too Many Requests", "200 OK", "502 Bad Gateway"]
    asked = []
    client, server, thread = served(answers, asked)
    assert_equal [[1]], client.rows("SELECT 1")
    assert_raises(Errors::ConnectionLost) { client.insert("t", [{a: 1}]) }
    assert_equal 4, asked.size
  ensure
    client&.close
    server&.close
    thread&.join
  end

  def test_a_url_that_is_none_is_refused_without_its_password
    error = assert_raises(Errors::Unreachable) { HttpClient.new("clickhouse://u:secret@ho st/db") }
    refute_match(/secret/, error.message)
  end

  def test_text_in_a_statement_ends_where_it_should
    assert_equal "'a\\'b\\\\'", HttpClient.quote("a'b\\")
  end

  # It took the request and says nothing: the statement may still be carried out, so it is not sent again.
  def test_sends_nothing_twice_when_there_is_no_answer
    server = TCPServer.new("127.0.0.1", 0)
    taken = []
    thread = Thread.new do
      while (client = server.accept)
        taken << client.gets
        client.close
      end
    rescue IOError
      nil
    end
    client = HttpClient.new("clickhouse://u:secret@127.0.0.1:#{server.addr[1]}/db")
    error = assert_raises(Errors::Unreachable) { client.insert("t", [{a: 1}]) }
    refute_match(/secret/, error.message)
    assert_equal 1, taken.size
    assert_match(%r{\APOST /\?database=db&wait_end_of_query=1 }, taken.first)
  ensure
    server.close
    thread&.join
  end

  private

  # @param answers [Array<String>] status lines, one for each connection
  def served(answers, asked)
    server = TCPServer.new("127.0.0.1", 0)
    thread = Thread.new do
      answers.each do |status|
        client = server.accept
        length = nil
        while (line = client.gets.chomp) && !line.empty?
          length = line[/content-length: (\d+)/i, 1].to_i if line.match?(/content-length/i)
        end
        asked << client.read(length)
        body = '{"data": [[1]]}'
        head = ["HTTP/1.1 #{status}", "Content-Length: #{body.bytesize}", "Connection: close"]
        client.write([*head, "", body].join("\r\n"))
        client.close
      end
    rescue IOError
      nil
    end
    [HttpClient.new("clickhouse://127.0.0.1:#{server.addr[1]}/db"), server, thread]
  end
end
