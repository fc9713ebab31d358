# frozen_string_literal: true

class OrdersController < ApplicationController
  def index = render(json: {orders: []})

  # Names of all modules and classes; some of them define a `name` of their own.
  def loaded
    name = Module.instance_method(:name)
    render plain: ObjectSpace.each_object(Module).filter_map { |each| name.bind_call(each) }.join("\n")
  end

  def create
    CountedJob.perform_later
    head :accepted
  end
end
