# frozen_string_literal: true

require "socket"
require "zlib"

# A receiver of OpenTelemetry's metrics over HTTP on a port of loopback: it decodes what comes with the
# classes that protoc made of OpenTelemetry's own definitions.
class OtlpReceiver
  # One data point. `resource`, `attributes`: {String => Object}; `value`: of a number, nil of a histogram;
  # `metric`: as decoded; `point`: as decoded
  ReceivedPoint = Data.define(:resource, :attributes, :value, :metric, :point) do
    def name = metric.name
  end

  # Headers of each request, names in small letters.
  attr_reader :headers
  # What to do with a request: :take, :refuse (an error that is not tried again), :take_and_refuse, :hang;
  # a String: the bytes of the answer
  attr_accessor :mode

  def initialize(port: 0)
    @listener = TCPServer.new("127.0.0.1", port)
    @mode = :take
    @exports = []
    @headers = []
    @hanging = []
    @thread = Thread.new { loop { serve(@listener.accept) } }
    @thread.report_on_exception = false
  end

  def port = @listener.local_address.ip_port

  def url = "http://127.0.0.1:#{port}"

  def stop
    @thread.kill.join
    @hanging.each(&:close)
    @listener.close
  end

  # @return [Array<Array<ReceivedPoint>>] of each request that was taken
  def exports = @exports.dup

  # @return [Array<ReceivedPoint>] of all requests
  def points(name = nil, of: exports.flatten)
    name ? of.select { |point| point.name == name } : of
  end

  # @return [Array<ReceivedPoint>] of the last request
  def last(name = nil) = points(name, of: exports.last || [])

  def forget
    @exports.clear
    @headers.clear
  end

  private

  def serve(client)
    head = client.gets("\r\n\r\n").to_s
    headers = head.scan(/^([\w-]+): *(.*?)\r$/).to_h.transform_keys(&:downcase)
    body = client.read(headers.fetch("content-length").to_i)
    return @hanging << client if @mode == :hang
    @headers << {"path" => head[/\APOST (\S+)/, 1], **headers}
    take(headers, body) if %i[take take_and_refuse].include?(@mode)
    client.write(answer)
    client.close
  rescue SystemCallError, KeyError
    client.close # gone before its request was whole
  end

  def answer
    return @mode if @mode.is_a?(String)
    status = (@mode == :take) ? "200 OK" : "400 Bad Request"
    "HTTP/1.1 #{status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  end

  def take(headers, body)
    body = Zlib.gunzip(body) if headers["content-encoding"] == "gzip"
    request = Opentelemetry::Proto::Collector::Metrics::V1::ExportMetricsServiceRequest.decode(body)
    @exports << request.resource_metrics.flat_map { |of_resource| points_of(of_resource) }
  end

  def points_of(of_resource)
    resource = pairs(of_resource.resource.attributes)
    metrics = of_resource.scope_metrics.flat_map { |scope| scope.metrics.to_a }
    metrics.flat_map do |metric|
      metric.public_send(metric.data).data_points.map do |point|
        value = point.public_send(point.value) if point.respond_to?(:value)
        ReceivedPoint.new(resource:, attributes: pairs(point.attributes), value:, metric:, point:)
      end
    end
  end

  def pairs(attributes)
    attributes.to_h { |pair| [pair.key, pair.value.public_send(pair.value.value)] }
  end
end
