# frozen_string_literal: true

require "test_helper"
require "grpc"
require "holdup/agent/instrumentation/grpc_methods"

# With the gem grpc: a real server and a real client, in this process.
class Holdup::Instrumentation::GrpcMethodsTest < Minitest::Test
  include WaitUntil

  # Messages of plain text.
  class Text < String
    def self.encode(text) = text.to_s

    def self.decode(text) = new(text)
  end

  class Orders
    include GRPC::GenericService

    self.marshal_class_method = :encode
    self.unmarshal_class_method = :decode
    self.service_name = "shop.Orders"

    rpc :Place, Text, Text
    rpc :Follow, Text, stream(Text)
    rpc :Add, stream(Text), Text
    rpc :Chat, stream(Text), stream(Text)
    rpc :Refuse, Text, Text
    rpc :Break, Text, Text
  end

  class Handler < Orders
    def place(order, _call) = Text.new("placed #{order}")

    def follow(order, _call) = [Text.new("#{order} packed"), Text.new("#{order} sent")]

    def add(call) = Text.new(call.each_remote_read.to_a.join("+"))

    def chat(texts) = texts.map { |text| Text.new(text.upcase) }

    def refuse(_order, _call) = raise(GRPC::NotFound, "no such order")

    def break(_order, _call) = raise("broken")
  end

  def setup
    @probe = RecordingProbe.new
    @guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard: @guard)
    self.class.follow(Holdup::Instrumentation::GrpcMethods.new(recorder:))
  end

  # The hooks stay in this process, and serve the test that runs.
  class << self
    attr_reader :current

    def follow(methods)
      @current = methods
      @hooked ||= methods.dup.tap do |first|
        test = self
        first.define_singleton_method(:measure) { |*given, &block| test.current.measure(*given, &block) }
        first.install
      end
    end
  end

  # @yieldparam stub [GRPC::ClientStub]
  def with_server
    server = GRPC::RpcServer.new(pool_size: 2, poll_period: 0.1)
    port = server.add_http2_port("127.0.0.1:0", :this_port_is_insecure)
    server.handle(Handler)
    thread = Thread.new { server.run }
    server.wait_till_running
    yield Orders.rpc_stub_class.new("127.0.0.1:#{port}", :this_channel_is_insecure)
  ensure
    server&.stop
    thread&.join
  end

  # A client has its answer a moment before the call has ended.
  def recorded(count)
    wait_until { @probe.recorded.size >= count }
    @probe.recorded.map { |one| [one.name, one.error] }.sort
  end

  def test_calls_of_all_kinds_are_requests_by_service_and_method
    with_server do |stub|
      assert_equal "placed 4711", stub.place(Text.new("4711"))
      assert_equal ["7 packed", "7 sent"], stub.follow(Text.new("7")).to_a
      assert_equal "a+b", stub.add([Text.new("a"), Text.new("b")])
      assert_equal ["A"], stub.chat([Text.new("a")]).to_a
      names = %w[shop.Orders/Add shop.Orders/Chat shop.Orders/Follow shop.Orders/Place]
      assert_equal names.map { |name| [name, false] }, recorded(4)
      assert_equal [Holdup::Probe::KINDS.fetch(:request)], @probe.recorded.map(&:kind).uniq
    end
  end

  def test_what_the_server_did_wrong_is_a_failure_and_a_refusal_is_none
    with_server do |stub|
      assert_raises(GRPC::NotFound) { stub.refuse(Text.new("1")) }
      assert_raises(GRPC::Unknown) { stub.break(Text.new("1")) }
      assert_equal [["shop.Orders/Break", true], ["shop.Orders/Refuse", false]], recorded(2)
      assert_empty @guard.failures
    end
  end

  def test_an_unknown_method_names_nothing
    with_server do |stub|
      assert_raises(GRPC::Unimplemented) do
        stub.request_response("/shop.Orders/Order4711", Text.new("1"), ->(one) { one }, ->(one) { one })
      end
      assert_empty @probe.recorded
    end
  end
end
