# frozen_string_literal: true

require "test_helper"
require "delegate"
require "net/http"
require "holdup/loader"

class Holdup::Web::StreamedPageTest < Minitest::Test
  include Dashboard

  # A store that counts what is asked inside of a snapshot, and fails then where it shall.
  class Watched < SimpleDelegator
    attr_accessor :failure, :meanwhile
    attr_reader :snapshots, :closed

    def snapshot(&)
      @snapshots = @snapshots.to_i + 1
      @meanwhile&.call
      raise @failure if @failure
      super
    end

    def close = @closed = @closed.to_i + 1
  end

  def store = @store ||= Watched.new(sample_store)

  def answer(address = "/", **env)
    dashboard(store:).call(Rack::MockRequest.env_for(address, **env))
  end

  # @return [Array<String>] the parts as a server sends them
  def parts(body) = body.each.to_a

  def test_the_frame_is_sent_before_the_page_is_read
    status, headers, body = answer
    assert_equal 200, status
    assert_includes headers["content-security-policy"], "default-src 'none'"
    body.each do |part|
      assert_match(%r{holdup-\h+\.css.*<nav.*<main.*<h1>Overview</h1>.*<form class="span".*"skeleton"}m, part)
      refute_includes part, %(<div class="blocks)
      break
    end
    assert_nil store.snapshots
    first, rest = parts(body)

    assert_equal 1, store.snapshots
    assert_match(/\A<div class="blocks folded">/, rest)
    assert_operator rest, :end_with?, "</html>\n"
    refute_includes first + rest, Holdup::Web::App::CUT
    refute store.closed
    body.close
    assert_equal 1, store.closed
  end

  # It would have nothing of the page until 200 ms later.
  linux def test_puma_has_sent_the_frame_when_the_page_is_read
    socket = corked = nil
    store.meanwhile = -> { corked = socket.getsockopt(Socket::IPPROTO_TCP, Socket::TCP_CORK).bool }
    page = served(lambda { |env|
      socket = env["puma.socket"]
      dashboard(store:).call(env)
    }) { |address| Net::HTTP.get(URI(address)) }

    assert_includes page, "</html>"
    assert_equal false, corked
  end

  # @yieldparam address [String]
  def served(app)
    addresses = Queue.new
    server = Holdup::Web::Command::Server.new(app, host: "127.0.0.1", port: 0)
    serving = Thread.new { server.run { |address| addresses << address } }
    yield addresses.pop
  ensure
    serving.kill.join
  end

  def test_a_proxy_is_asked_to_send_the_frame_at_once
    assert_equal "no", answer[1]["x-accel-buffering"]
    refute_includes answer("/jobs")[1], "x-accel-buffering"
  end

  # Its socket may be gone, or be no TCP.
  def test_a_reader_who_has_gone_is_left_to_the_server
    pair = UNIXSocket.pair
    gone = TCPSocket.allocate
    [pair.first, gone, nil].each do |socket|
      page = Holdup::Web::StreamedPage.new("first", close: -> {}, socket:) { "rest" }
      assert_equal %w[first rest], parts(page)
    end
  ensure
    pair.each(&:close)
  end

  def test_others_and_files_and_heads_are_sent_whole
    {"/jobs" => "GET", "/overview.json" => "GET", "/" => "HEAD"}.each do |address, method|
      body = answer(address, method:).last

      refute_instance_of Holdup::Web::StreamedPage, body, "#{method} #{address}"
    end
  end

  # They show what fails beside what they have.
  def test_scripts_that_refresh_a_page_get_the_status_of_what_fails
    store.failure = Holdup::Error.new("the store is gone", "start it")
    status, _, body = answer("/", Holdup::Web::App::REFRESH => "1")
    assert_equal [503, Array], [status, body.class]
    body = File.read(File.expand_path("../../../../assets/src/main.js", __dir__))
    assert_includes body, Holdup::Web::App::REFRESH.delete_prefix("HTTP_").downcase.tr("_", "-")
  end

  def test_what_is_wrong_with_the_address_or_the_store_has_its_status
    assert_equal 400, answer("/?since=x").first
    assert_equal 400, answer("/?host=nobody").first
    gone = Holdup::Error.new("the store is gone", "start it")
    failing = Holdup::Web.new(store: -> { raise gone }, dir: "/nonexistent", auth: :none)
    status, _, body = failing.call(Rack::MockRequest.env_for("/"))

    assert_equal [503, true], [status, body.join.include?("the store is gone")]
  end

  def test_what_fails_later_is_said_on_the_page
    store.failure = Holdup::Error.new("the store is gone", "start it")
    page = parts(answer.last).join

    assert_includes page, "the store is gone"
    assert_equal [1, 1], ["<html", "<h1"].map { |tag| page.scan(tag).size }
    assert_operator page, :end_with?, "</html>\n"
  end

  def test_a_failure_of_ours_is_logged
    store.failure = IndexError.new("secret")
    log = StringIO.new
    page = parts(answer("/", "rack.errors" => log).last).join

    assert_includes page, "IndexError"
    refute_includes page, "secret"
    assert_match(/\Aholdup: .*secret/, log.string)
  end

  def test_the_rest_is_computed_with_a_short_time_slice
    page = Holdup::Web::StreamedPage.new("first", close: -> {}) { Thread.current.priority.to_s }

    assert_equal ["first", Holdup::Web::PRIORITY.to_s], parts(page)
    assert_equal 0, Thread.current.priority
  end
end
