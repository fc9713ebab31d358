# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "socket"

class Holdup::Notify::ChannelsTest < Minitest::Test
  include TemporaryFolder

  Channels = Holdup::Notify::Channels
  MESSAGE = Holdup::Notify::NoticeMessage.new(rule: "stall", state: :began, at_s: 1_790_000_000,
    source: "stall 0", title: "Waits for the GVL", text: "Requests waited.",
    figure: "31 %", link: nil, command: "holdup report")
  # Longer than any answer takes on a machine that is busy.
  PATIENT_S = 180

  # A real server that reads one request after the other, whole, and answers each with what it is given.
  class Receiver
    attr_reader :bodies

    # @param answers [Array<String, nil>] responses; nil: none, the connection stays open
    def initialize(*answers)
      @answers = answers
      @bodies = Queue.new
      @open = []
      @server = TCPServer.new("127.0.0.1", 0)
      @port = @server.addr[1]
      @thread = Thread.new { loop { serve(@server.accept) } }
    end

    def url(path = "/T1/secret") = "http://127.0.0.1:#{@port}#{path}"

    def close
      @thread.kill.join
      [*@open, @server].each(&:close)
    end

    private

    def serve(client)
      head = client.gets("\r\n\r\n")
      @bodies << [head, client.read(head[/^Content-Length: (\d+)/i, 1].to_i)]
      answer = (@answers.size > 1) ? @answers.shift : @answers.first
      return @open << client unless answer
      client.write(answer)
      client.close
    end
  end

  def test_a_block_gets_the_message
    got = []
    answer = Channels::BlockChannel.new(->(message) { got << message }).call(MESSAGE)
    assert_equal [[MESSAGE], :sent], [got, answer.key]
  end

  def test_a_block_that_raises_harms_nothing
    answer = Channels::BlockChannel.new(->(_) { raise KeyError }).call(MESSAGE)
    assert_equal [:raised, "KeyError", false], [answer.key, answer.detail, answer.again]
  end

  def receiver(*answers)
    @receivers = [*@receivers, Receiver.new(*answers)]
    @receivers.last
  end

  def teardown
    @receivers&.each(&:close)
    super
  end

  def answer(status, *headers)
    ["HTTP/1.1 #{status} X", *headers, "Content-Length: 0", "", ""].join("\r\n")
  end

  def post(receiver, kind: :webhook, longest_s: PATIENT_S)
    Channels::Webhook.new(kind, receiver.url, longest_s:).call(MESSAGE)
  end

  def test_sends_json_and_says_what_came_back
    one = receiver(answer(200))
    delivery = post(one)
    assert_equal [:sent, 200, false], [delivery.key, delivery.detail, delivery.again]
    head, body = one.bodies.pop
    assert_match(%r{\APOST /T1/secret HTTP/1.1\r\n}, head)
    assert_match(/^content-type: application\/json\r$/i, head)
    assert_equal "Requests waited.", JSON.parse(body)["text"]
  end

  def test_follows_no_redirect
    elsewhere = receiver(answer(200))
    delivery = post(receiver(answer(302, "Location: #{elsewhere.url}")))
    assert_equal [:redirected, 302, false], [delivery.key, delivery.detail, delivery.again]
    assert_empty elsewhere.bodies
  end

  def test_what_fails_for_a_while_is_sent_again
    failing = post(receiver(answer(500)))
    assert_equal [:refused, 500, true], [failing.key, failing.detail, failing.again]
    busy = post(receiver(answer(429, "Retry-After: 90")))
    assert_equal [429, true, 90], [busy.detail, busy.again, busy.after_s]
    assert_equal 3600, post(receiver(answer(503, "Retry-After: 999999"))).after_s
    assert_nil post(receiver(answer(503, "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT"))).after_s
  end

  def test_what_is_refused_for_good_is_not_sent_again
    delivery = post(receiver(answer(404)))
    assert_equal [:refused, 404, false], [delivery.key, delivery.detail, delivery.again]
  end

  def test_a_receiver_that_never_answers_is_left
    delivery = post(receiver(nil), longest_s: 0.2)
    assert_equal [:no_answer, 0.2, true], [delivery.key, delivery.detail, delivery.again]
  end

  def test_a_receiver_that_is_closed_can_come_back
    gone = receiver(answer(200))
    gone.close
    @receivers.clear
    delivery = post(gone)
    assert_equal [:unreachable, "Errno::ECONNREFUSED", true], [delivery.key, delivery.detail, delivery.again]
  end

  def test_reads_no_body_of_an_answer
    endless = "HTTP/1.1 200 X\r\nContent-Length: #{1 << 40}\r\n\r\nhello"
    assert_predicate post(receiver(endless)), :sent?
  end

  def test_what_is_no_http_raises_nothing
    delivery = post(receiver("hello\r\n\r\n"))
    assert_equal [:unreachable, true], [delivery.key, delivery.again]
  end

  def test_what_is_no_url_is_not_sent
    assert_equal :no_url, Channels::Webhook.new(:slack, "http://[x").call(MESSAGE).key
  end

  def test_the_routing_key_goes_into_the_body_only
    one = receiver(answer(202))
    Channels::Webhook.new(:pagerduty, "#{one.url("/v2/enqueue")}#key1", longest_s: PATIENT_S).call(MESSAGE)
    head, body = one.bodies.pop
    refute_includes head, "key1"
    assert_equal "key1", JSON.parse(body)["routing_key"]
  end

  def program(script)
    path = File.join(folder, "page")
    File.write(path, "#!/bin/sh\n#{script}\n", perm: 0o700)
    path
  end

  def test_a_program_gets_the_message_and_no_secrets
    written = File.join(folder, "written")
    path = program("cat > #{written}; env >> #{written}")
    ENV["HOLDUP_NOTIFY"] = "slack=https://hooks.example/T1/secret"
    assert_predicate Channels::ProgramChannel.new(path, longest_s: PATIENT_S).call(MESSAGE), :sent?
    text = File.read(written)
    assert_includes text, '"rule":"stall"'
    refute_includes text, "T1/secret"
  ensure
    ENV.delete("HOLDUP_NOTIFY")
  end

  # What a pipe holds is less than a digest may have.
  DIGEST = MESSAGE.with(text: "It got slower.\n\n- All of it.", html: "<p>#{"x" * 300_000}</p>")

  def test_a_program_gets_a_whole_digest
    written = File.join(folder, "written")
    path = program("cat > #{written}")
    assert_predicate Channels::ProgramChannel.new(path, longest_s: PATIENT_S).call(DIGEST), :sent?
    assert_equal DIGEST.html, JSON.parse(File.read(written)).fetch("html")
  end

  def test_a_program_that_reads_no_digest_is_not_waited_for
    delivery = Channels::ProgramChannel.new(program("sleep 600"), longest_s: 0.2).call(DIGEST)
    assert_equal :no_end, delivery.key
    delivery = Channels::ProgramChannel.new(program("exit 1"), longest_s: PATIENT_S).call(DIGEST)
    assert_equal :failed, delivery.key
  end

  def test_a_digest_is_one_line_of_the_log
    lines = []
    Channels::LogLines.new(lines.method(:push)).call(DIGEST)
    assert_equal ["Waits for the GVL: It got slower. | - All of it. | holdup report"], lines
  end

  def test_a_program_that_fails_is_run_again
    delivery = Channels::ProgramChannel.new(program("exit 3"), longest_s: PATIENT_S).call(MESSAGE)
    assert_equal [:failed, 3, true], [delivery.key, delivery.detail, delivery.again]
  end

  def test_a_program_that_does_not_end_is_killed_with_its_children
    delivery = Channels::ProgramChannel.new(program("sleep 600 & sleep 600"), longest_s: 0.2).call(MESSAGE)
    assert_equal [:no_end, true], [delivery.key, delivery.again]
  end

  def test_a_program_that_is_not_there_is_not_run
    delivery = Channels::ProgramChannel.new(File.join(folder, "none")).call(MESSAGE)
    assert_equal [:not_run, "Errno::ENOENT", false], [delivery.key, delivery.detail, delivery.again]
  end

  def test_every_channel_that_can_be_set_is_there
    url = "https://hooks.example/T1"
    kinds = Holdup::ConfigurationKeys::NotifyPlan::CHANNELS
    targets = kinds.to_h { |kind| [kind, {command: "/bin/page", log: true}.fetch(kind, url)] }
    lines = []
    plan = Holdup::ConfigurationKeys::NotifyPlan.new(channels: targets)
    channels = Channels.of(plan, log: lines.method(:push))
    assert_equal kinds, channels.keys
    assert_predicate channels.fetch(:log).call(MESSAGE), :sent?
    assert_equal ["Waits for the GVL: Requests waited. | holdup report"], lines
  end
end
